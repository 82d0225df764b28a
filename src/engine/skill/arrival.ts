import { parentOf } from '../../model/directive.ts'
import { EngineError } from '../../model/error.ts'
import { type Location, isInside, type ProjectPlace, rootOf } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Task } from '../../model/task.ts'
import type { Tx } from '../../store/query.ts'
import { ensureAdHocEffort } from '../../store/effort.ts'
import { findTask, upsertTask } from '../../store/task.ts'
import { listRoots } from '../../store/workplace.ts'
import { locate } from '../call/repository.ts'
import type { Context } from '../call/context.ts'
import type { Call } from '../call/method.ts'
import { enter } from './entry.ts'
import { type Reading, storeReading } from './sync.ts'

/** The folder of a caller, and the skills found there. */
export interface Arrival extends Location {
  readonly reading?: Reading | undefined
}

/** The location of a folder; undefined if it cannot be in a project. */
export async function locationOf(
  { files, daemon }: Context,
  path: string | undefined,
): Promise<Location | undefined> {
  const folder = path === undefined ? undefined : await files.canonical(path).catch(() => undefined)
  if (folder === undefined || folder === '/' || (await files.kind(folder)) !== 'folder') return undefined
  if (isInside(await files.canonical(daemon.status().home), folder)) return undefined
  return await locate(files, folder)
}

/** The project and workplace of a location; registered on first use. */
export async function findOrRegisterPlace(tx: Tx, at: Arrival, call: Call): Promise<ProjectPlace> {
  const known = await listRoots(tx, call.context.machine)
  const { place, isNew } = await enter(tx, rootOf(known, at), call, { known })
  if (isNew && at.reading !== undefined) await storeReading(tx, place, at.reading, call)
  call.context.skillFolders.want(place.root)
  return place
}

/** Updates a project that is known: its workplace, and the stored skills from the files read before. */
export async function keepPlace(
  tx: Tx,
  at: Arrival,
  call: Call,
): Promise<{ readonly place: ProjectPlace; readonly told?: string | undefined } | undefined> {
  const known = await listRoots(tx, call.context.machine)
  const root = rootOf(known, at)
  if (!known.some(({ path, project }) => path === root.path || project === root.project)) return undefined
  const { place, isNew, told } = await enter(tx, root, call, { known })
  if (at.reading !== undefined && (isNew || at.reading.isNews))
    await storeReading(tx, place, at.reading, call)
  return { place, told }
}

interface WantedTask {
  readonly dir_path: string
  readonly place: Pick<ProjectPlace, 'id' | 'workplace_id'>
  readonly workspace?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** A call needs the ad-hoc effort only once its own effort is over. */
  readonly isOfCall?: true
}

/** Creates or updates a task; omitted fields keep their values. */
export async function keepTask(tx: Tx, wanted: WantedTask, call: Call): Promise<Task> {
  const { dir_path, place } = wanted
  const project_id = place.id
  const known = await findTask(tx, { dir_path })
  // Another project may watch its sessions for other things.
  const task = await upsertTask(tx, call.context.store.volatile, {
    dir_path,
    project_id,
    workplace_id: place.workplace_id,
    workspace: wanted.workspace ?? null,
    title: wanted.title ?? null,
    description: wanted.description ?? null,
    now: call.now,
  })
  if (task === undefined) throw new Error('The task was not stored.')
  if (wanted.isOfCall !== true)
    await ensureAdHocEffort(tx, { task_id: dir_path, workplace_id: place.workplace_id, now: call.now })
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
  const { place, kind } = await nearestExisting(context, real)
  if (kind === 'folder' || kind === 'missing') return real
  throw new EngineError('invalid', `${place} is not a folder, so ${real} cannot be a task folder.`, {
    field,
    hint: `holdfast task upsert ${shellWord(parentOf(place))}`,
  })
}

/** The path itself or the nearest one above it that exists, and what it is. */
export async function nearestExisting({ files }: Context, path: string) {
  let [place, kind] = [path, await files.kind(path)]
  while (kind === 'missing' && place !== '/') {
    place = parentOf(place)
    kind = await files.kind(place)
  }
  return { place, kind }
}
