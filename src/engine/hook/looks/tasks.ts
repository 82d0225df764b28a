import { innermost, rootOf } from '../../../model/project.ts'
import { tasksFolder } from '../../../model/task.ts'
import type { Tx } from '../../../store/query.ts'
import { findLastByNative } from '../../../store/session.ts'
import { type KnownRoot, listRoots, placeOfSession } from '../../../store/workplace.ts'
import { unlessRefused } from '../../skill/directive-files.ts'
import type { Look, Looked, Looking } from './look.ts'

/** The folders of tasks that exist: after a lost database, or behind a link, a new task must not share one. */
export const tasks: Look = {
  isOfSession: true,
  ask(looking) {
    const { context, found } = looking
    if (!mayBegin(found)) return undefined
    return async (tx) => {
      const roots = await listRoots(tx, context.machine)
      const root = await rootFor(tx, looking, roots)
      return async () => {
        if (root === undefined) return {}
        const own = `${root}/${tasksFolder(context.config(root))}`
        const real = await context.files.canonical(own)
        const around = innermost(roots, real)?.path
        // Nothing can be written outside of a project, whatever the task is called.
        if (around === undefined) return { tasks: { root, folder: own, names: new Set() } }
        const listed = context.files.list({ path: real, root: around, kind: 'folder' })
        return { tasks: { root, folder: real, names: new Set((await unlessRefused(listed)) ?? []) } }
      }
    }
  },
}

/** Whether the event may put a skill in charge that its session does not know yet. */
const mayBegin = ({ event, invocations, reads }: Looked): boolean =>
  invocations.length > 0 ||
  (event.kind === 'session.started' && event.source === 'resume') ||
  (event.kind === 'tool.after' && reads.some((path) => path.endsWith('/SKILL.md')))

async function rootFor(
  tx: Tx,
  { event, found: { place } }: Looking,
  roots: readonly KnownRoot[],
): Promise<string | undefined> {
  if (place !== undefined) return rootOf(roots, place).path
  const session = await findLastByNative(tx, { native_id: event.session ?? '' })
  return session === undefined ? undefined : (await placeOfSession(tx, session))?.root
}
