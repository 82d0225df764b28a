import { parentOf } from '../../model/directive.ts'
import { EngineError } from '../../model/error.ts'
import { isInside, type Project, rootOf, type Workplace } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Task } from '../../model/task.ts'
import { listProjects, upsertProject } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findTask, upsertTask } from '../../store/task.ts'
import { repositoryAround } from '../call/repository.ts'
import type { Context } from '../call/context.ts'
import type { Call } from '../call/method.ts'
import { type Reading, storeReading } from './sync.ts'

/** The folder of a caller, and the skills found there. */
export interface Arrival extends Workplace {
  readonly reading?: Reading | undefined
}

/** The workplace of a folder; undefined if it cannot be in a project. */
export async function workplaceOf(
  { files, daemon }: Context,
  path: string | undefined,
): Promise<Workplace | undefined> {
  const folder = path === undefined ? undefined : await files.canonical(path).catch(() => undefined)
  if (folder === undefined || folder === '/' || (await files.kind(folder)) !== 'folder') return undefined
  if (isInside(await files.canonical(daemon.status().home), folder)) return undefined
  return { folder, repository: await repositoryAround(files, folder) }
}

/** The project of a workplace; registered on first use. */
export async function findOrRegisterProject(tx: Tx, place: Arrival, call: Call): Promise<Project> {
  const projects = await listProjects(tx, {})
  const root = rootOf(projects, place)
  const known = projects.find(({ path }) => path === root)
  const project = known ?? (await upsertProject(tx, { path: root, name: null, now: call.now }))
  if (project === undefined) throw new Error('The project was not stored.')
  if (known === undefined) {
    const payload = { path: root, name: null }
    await call.record(tx, { event_type: 'project.registered', project_id: project.id, payload })
    if (place.reading !== undefined) await storeReading(tx, project, place.reading, call)
  }
  call.context.skillFolders.want(project.path)
  return project
}

/** Updates the stored skills of a project from the files read before. */
export async function keepSkills(tx: Tx, place: Arrival, call: Call): Promise<void> {
  if (place.reading?.isNews !== true) return
  const projects = await listProjects(tx, {})
  const root = rootOf(projects, place)
  const project = projects.find(({ path }) => path === root)
  if (project !== undefined) await storeReading(tx, project, place.reading, call)
}

interface WantedTask {
  readonly dir_path: string
  readonly project_id: number
  readonly workspace?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
}

/** Creates or updates a task; omitted fields keep their values. */
export async function keepTask(tx: Tx, wanted: WantedTask, call: Call): Promise<Task> {
  const { dir_path, project_id } = wanted
  const known = await findTask(tx, { dir_path })
  // Another project may watch its sessions for other things.
  call.context.store.volatile.openWindows.invalidate()
  const task = await upsertTask(tx, {
    dir_path,
    project_id,
    workspace: wanted.workspace ?? null,
    title: wanted.title ?? null,
    description: wanted.description ?? null,
    now: call.now,
  })
  if (task === undefined) throw new Error('The task was not stored.')
  if (JSON.stringify(known) !== JSON.stringify(task))
    await call.record(tx, {
      event_type: known === undefined ? 'task.created' : 'task.updated',
      project_id,
      payload: { dir_path },
    })
  return task
}

/** A task folder may be missing, but no file may be in its place. */
export async function taskFolder(context: Context, real: string, field: string): Promise<string> {
  let [place, kind] = [real, await context.files.kind(real)]
  while (kind === 'missing' && place !== '/') {
    place = place.slice(0, place.lastIndexOf('/')) || '/'
    kind = await context.files.kind(place)
  }
  if (kind === 'folder' || kind === 'missing') return real
  throw new EngineError('invalid', `${place} is not a folder, so ${real} cannot be a task folder.`, {
    field,
    hint: `holdfast task upsert ${shellWord(parentOf(place))}`,
  })
}
