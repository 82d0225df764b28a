import { rootOf } from '../../../model/project.ts'
import { tasksFolder } from '../../../model/task.ts'
import type { Tx } from '../../../store/query.ts'
import { findLastByNative } from '../../../store/session.ts'
import { listRoots, placeOfSession } from '../../../store/workplace.ts'
import { unlessRefused } from '../../skill/directive-files.ts'
import type { Look, Looked, Looking } from './look.ts'

/** The folders of tasks that exist: after a lost database, a new task must not share one. */
export const tasks: Look = {
  isOfSession: true,
  ask(looking) {
    const { context, found } = looking
    if (!mayBegin(found)) return undefined
    return async (tx) => {
      const root = await rootFor(tx, looking)
      return async () => {
        if (root === undefined) return {}
        const folder = `${root}/${tasksFolder(context.config(root))}`
        const names = (await unlessRefused(context.files.list({ path: folder, root, kind: 'folder' }))) ?? []
        return { taskFolders: new Set(names.map((name) => `${folder}/${name}`)) }
      }
    }
  },
}

/** Whether the event may put a skill in charge that its session does not know yet. */
const mayBegin = ({ event, invocations, reads }: Looked): boolean =>
  invocations.length > 0 ||
  (event.kind === 'session.started' && event.source === 'resume') ||
  (event.kind === 'tool.after' && reads.some((path) => path.endsWith('/SKILL.md')))

async function rootFor(tx: Tx, { context, event, found: { place } }: Looking): Promise<string | undefined> {
  if (place !== undefined) return rootOf(await listRoots(tx, context.machine), place).path
  const session = await findLastByNative(tx, { native_id: event.session ?? '' })
  return session === undefined ? undefined : (await placeOfSession(tx, session))?.root
}
