import { EngineError } from '../../model/error.ts'
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

/** The task of a session's next effort; a session in the root of its workplace gets a task of its own. */
export async function taskFor(
  tx: Tx,
  { session, taskFolders }: Pick<ProjectSession, 'session' | 'taskFolders'>,
  { skill, request }: { readonly skill: string; readonly request: string },
  call: Call,
): Promise<string> {
  const root = (await workplaceOfTask(tx, { dir_path: session.task_id }))?.root
  const place = root === session.task_id ? await placeOfSession(tx, session) : undefined
  if (place === undefined) return session.task_id
  const title = request === '' ? undefined : cutTo(request, LONGEST_TITLE)
  const folder = tasksFolder(call.context.config(place.root))
  for (let counter = 1; counter <= MOST_TRIES; counter++) {
    const name = taskName({ now: call.now, skill, words: request }, counter)
    const dir_path = `${place.root}/${folder}/${name}`
    if (taskFolders?.has(dir_path) === true || (await findTask(tx, { dir_path })) !== undefined) continue
    return (await keepTask(tx, { dir_path, place, title, isOfCall: true }, call)).dir_path
  }
  throw new EngineError('conflict', 'Every name for the task is taken.', { hint: 'holdfast task list' })
}
