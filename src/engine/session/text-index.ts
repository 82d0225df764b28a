import type { Context, IndexedProject } from '../call/context.ts'
import { rootMeant } from '../call/here.ts'

/** A project as it is indexed: its worktrees share the index of its main checkout, if that is here. */
export async function indexedProject({ store, machine }: Context, id: number): Promise<IndexedProject> {
  const { path } = await store.transact((tx) => rootMeant(tx, { project_id: id }, machine), { reads: true })
  return { id, root: path }
}
