import { EngineError } from '../../model/error.ts'
import { isSameRequest } from '../../model/invocation.ts'
import type { Session } from '../../model/session.ts'
import { taskName, tasksFolder } from '../../model/task.ts'
import { cutTo } from '../../model/text/kept.ts'
import { findActiveIn } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findTask } from '../../store/task.ts'
import { placeOfSession, workplaceOfTask } from '../../store/workplace.ts'
import type { Call } from '../call/method.ts'
import { keepTask } from '../skill/arrival.ts'
import type { ProjectSession } from './project-session.ts'

const MOST_TRIES = 1000
const LONGEST_TITLE = 200

interface Wanted {
  readonly skill: string
  readonly request: string
  /** Set if the request is in the user's own words. */
  readonly inWords: boolean
}

/** The task of a session's next effort: the session's, unless it has none or the user asks for something else. */
export async function taskFor(
  tx: Tx,
  { session, tasks }: Pick<ProjectSession, 'session' | 'tasks'>,
  { skill, request, inWords }: Wanted,
  call: Call,
): Promise<string> {
  const { task_id } = session
  const title = request === '' ? undefined : cutTo(request, LONGEST_TITLE)
  const root = (await workplaceOfTask(tx, { dir_path: task_id }))?.root
  const folderIn = (at: string) =>
    tasks?.root === at ? tasks.folder : `${at}/${tasksFolder(call.context.config(at))}`
  const isOfCall = root !== undefined && task_id.startsWith(`${folderIn(root)}/`)
  const isOther = inWords && isOfCall && (await isForOther(tx, { task_id, title }))
  const isNew = root === task_id || (isOther && !(await isPart(tx, session)))
  const place = isNew ? await placeOfSession(tx, session) : undefined
  if (place === undefined) return task_id
  for (let counter = 1; counter <= MOST_TRIES; counter++) {
    const name = taskName({ now: call.now, skill, words: request }, counter)
    const dir_path = `${folderIn(place.root)}/${name}`
    if (tasks?.names.has(name) === true || (await findTask(tx, { dir_path })) !== undefined) continue
    return (await keepTask(tx, { dir_path, place, title, isOfCall: true }, call)).dir_path
  }
  throw new EngineError('conflict', 'Every name for the task is taken.', { hint: 'holdfast task list' })
}

/** True for the work of a sub-agent beside open work of its session. */
const isPart = async (tx: Tx, { scope_of, task_id }: Session): Promise<boolean> =>
  scope_of !== null && (await findActiveIn(tx, { task_id })) !== undefined

/** True if a call made the task for other words; a task that a command named serves every request. */
async function isForOther(
  tx: Tx,
  { task_id, title = '' }: { readonly task_id: string; readonly title: string | undefined },
): Promise<boolean> {
  return !isSameRequest((await findTask(tx, { dir_path: task_id }))?.title ?? '', title)
}
