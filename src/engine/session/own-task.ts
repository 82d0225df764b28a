import { EngineError } from '../../model/error.ts'
import { isSameRequest } from '../../model/invocation.ts'
import { innermost, type ProjectPlace } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import { taskName, tasksFolder } from '../../model/task.ts'
import { cutTo } from '../../model/text/kept.ts'
import { findActiveIn } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findTask } from '../../store/task.ts'
import { type KnownRoot, placeOfSession, workplaceOfTask } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import type { Call } from '../call/method.ts'
import { keepTask } from '../skill/arrival.ts'
import { unlessRefused } from '../skill/directive-files.ts'
import type { ProjectSession, TasksThere } from './project-session.ts'

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
  const root = (await workplaceOfTask(tx, { dir_path: task_id }))?.root
  const isOfCall = root !== undefined && task_id.startsWith(`${folderOfTasks(root, tasks, call)}/`)
  const isOther = inWords && isOfCall && (await isForOther(tx, { task_id, title: titleOf(request) }))
  const isNew = root === task_id || (isOther && !(await isPart(tx, session)))
  const place = isNew ? await placeOfSession(tx, session) : undefined
  return place === undefined ? task_id : await newTask(tx, { place, tasks, skill, request }, call)
}

/** A task of its own for a call, named after it. */
export async function newTask(
  tx: Tx,
  {
    place,
    tasks,
    skill,
    request,
  }: Omit<Wanted, 'inWords'> & Pick<ProjectSession, 'tasks'> & { readonly place: ProjectPlace },
  call: Call,
): Promise<string> {
  const folder = folderOfTasks(place.root, tasks, call)
  const title = titleOf(request)
  for (let counter = 1; counter <= MOST_TRIES; counter++) {
    const name = taskName({ now: call.now, skill, words: request }, counter)
    const dir_path = `${folder}/${name}`
    if (tasks?.names.has(name) === true || (await findTask(tx, { dir_path })) !== undefined) continue
    return (await keepTask(tx, { dir_path, place, title, isOfCall: true }, call)).dir_path
  }
  throw new EngineError('conflict', 'Every name for the task is taken.', { hint: 'holdfast task list' })
}

const titleOf = (request: string): string | undefined =>
  request === '' ? undefined : cutTo(request, LONGEST_TITLE)

const folderOfTasks = (root: string, tasks: TasksThere | undefined, { context }: Call): string =>
  tasks?.root === root ? tasks.folder : `${root}/${tasksFolder(context.config(root))}`

/** The folders of tasks that exist: after a lost database, or behind a link, a new task must not share one. */
export async function tasksThere(
  context: Context,
  root: string,
  roots: readonly KnownRoot[],
): Promise<TasksThere> {
  const own = `${root}/${tasksFolder(context.config(root))}`
  const real = await context.files.canonical(own)
  const around = innermost(roots, real)?.path
  // Nothing can be written outside of a project, whatever the task is called.
  if (around === undefined) return { root, folder: own, names: new Set() }
  const listed = context.files.list({ path: real, root: around, kind: 'folder' })
  return { root, folder: real, names: new Set((await unlessRefused(listed)) ?? []) }
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
