import type { Tx } from '../../store/query.ts'
import type { Context } from '../call/context.ts'
import { rootMeant } from '../call/here.ts'

/** The folder of a project that is indexed: worktrees share the index of the main checkout, if that is here. */
export const indexedRoot = async (tx: Tx, { machine }: Pick<Context, 'machine'>, project_id: number) =>
  (await rootMeant(tx, { project_id }, machine)).path
