import { EngineError } from '../../model/error.ts'
import { isSameRequest } from '../../model/invocation.ts'
import { taskName, tasksFolder } from '../../model/task.ts'
import { cutTo } from '../../model/text/kept.ts'
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
  { session, taskFolders }: Pick<ProjectSession, 'session' | 'taskFolders'>,
  { skill, request, inWords }: Wanted,
  call: Call,
): Promise<string> {
  const { task_id } = session
  const title = request === '' ? undefined : cutTo(request, LONGEST_TITLE)
  const root = (await workplaceOfTask(tx, { dir_path: task_id }))?.root
  const isNew = root === task_id || (inWords && (await isForOther(tx, { task_id, root, title }, call)))
  const place = isNew ? await placeOfSession(tx, session) : undefined
  if (place === undefined) return task_id
  const folder = tasksFolder(call.context.config(place.root))
  for (let counter = 1; counter <= MOST_TRIES; counter++) {
    const name = taskName({ now: call.now, skill, words: request }, counter)
    const dir_path = `${place.root}/${folder}/${name}`
    if (taskFolders?.has(dir_path) === true || (await findTask(tx, { dir_path })) !== undefined) continue
    return (await keepTask(tx, { dir_path, place, title, isOfCall: true }, call)).dir_path
  }
  throw new EngineError('conflict', 'Every name for the task is taken.', { hint: 'holdfast task list' })
}

/** True if a call made the task for other words; a task that a command named serves every request. */
async function isForOther(
  tx: Tx,
  task: { readonly task_id: string; readonly root: string | undefined; readonly title: string | undefined },
  { context }: Call,
): Promise<boolean> {
  const { task_id, root, title = '' } = task
  if (root === undefined || !task_id.startsWith(`${root}/${tasksFolder(context.config(root))}/`)) return false
  return !isSameRequest((await findTask(tx, { dir_path: task_id }))?.title ?? '', title)
}
