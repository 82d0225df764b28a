import { rootOf } from '../../../model/project.ts'
import type { Tx } from '../../../store/query.ts'
import { findLastByNative } from '../../../store/session.ts'
import { type KnownRoot, listRoots, placeOfSession } from '../../../store/workplace.ts'
import { tasksThere } from '../../session/own-task.ts'
import type { Look, Looked, Looking } from './look.ts'

/** The folders of tasks that exist, for a call that may begin one. */
export const tasks: Look = {
  isOfSession: true,
  ask(looking) {
    const { context, found } = looking
    if (!mayBegin(found)) return undefined
    return async (tx) => {
      const roots = await listRoots(tx, context.machine)
      const root = await rootFor(tx, looking, roots)
      return async () => (root === undefined ? {} : { tasks: await tasksThere(context, root, roots) })
    }
  },
}

/** Whether the event may put a skill in charge that its session does not know yet. */
const mayBegin = ({ event, invocations, reads }: Looked): boolean =>
  invocations.length > 0 ||
  (event.kind === 'session.started' && event.source === 'resume') ||
  (event.kind === 'tool.after' && reads.some((path) => path.endsWith('/SKILL.md')))

/** The root of the workplace of the event. */
export async function rootFor(
  tx: Tx,
  { event, found: { place } }: Looking,
  roots: readonly KnownRoot[],
): Promise<string | undefined> {
  if (place !== undefined) return rootOf(roots, place).path
  const session = await findLastByNative(tx, { native_id: event.session ?? '' })
  return session === undefined ? undefined : (await placeOfSession(tx, session))?.root
}
