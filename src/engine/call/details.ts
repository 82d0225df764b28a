import { timestamp } from '../../model/clock.ts'
import { EngineError } from '../../model/error.ts'
import { isInside, projectOf } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import { record } from '../../store/ledger.ts'
import { listProjects } from '../../store/project.ts'
import type { Files } from '../../model/files.ts'
import type { Context } from './context.ts'
import type { Call } from './method.ts'

/** The moment of a call, and the ledger as it is written at that moment. */
export function callOf<P>(context: Context, prepared: P): Call<P> {
  const now = timestamp(context.clock.now())
  return { context, prepared, now, record: (tx, entry) => record(tx, entry, { id: context.newId(), now }) }
}

/** Where the path in a parameter really leads; a path that leads nowhere is blamed on that parameter. */
export async function canonical({ files }: Context, field: string, path: string): Promise<string> {
  return await files.canonical(path).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error
    throw new EngineError(error.code, error.message, { field, cause: error })
  })
}

/** Opening the database's files would drop SQLite's locks on them, so our own folder is nobody's project. */
export async function refuseOurHome({ files, daemon }: Context, real: string): Promise<void> {
  if (isInside(await files.canonical(daemon.status().home), real))
    throw new EngineError('forbidden', `${real} belongs to holdfast itself.`, {
      field: 'path',
      hint: 'holdfast query "SELECT ..."',
    })
}

/** A canonical path and the project that it lies in. */
export interface Place {
  readonly path: string
  readonly root: string
  readonly project_id: number
}

/** A path is what it really leads to, and that must lie in a project. */
export async function confine(context: Context, path: string): Promise<Place> {
  if (path.split('/').includes('..'))
    throw new EngineError('forbidden', `${path} holds "..", which is not followed.`, {
      field: 'path',
      hint: 'Give the path it leads to.',
    })
  const real = await context.files.canonical(path)
  await refuseOurHome(context, real)
  const projects = await context.store.transact((tx) => listProjects(tx, {}), { reads: true })
  const project = projectOf(projects, real)
  if (project === undefined)
    throw new EngineError('forbidden', `${real} is not inside a registered project.`, {
      field: 'path',
      hint: await registering(context, real),
    })
  return { path: real, root: project.path, project_id: project.id }
}

/** The command that registers the project that a canonical path would lie in: a folder of a repository is none alone. */
export async function registering({ files }: Context, path: string): Promise<string> {
  const folder = await folderAround(files, path)
  return `holdfast project upsert ${shellWord((await repositoryAround(files, folder)) ?? folder)}`
}

async function folderAround(files: Files, path: string): Promise<string> {
  return path === '/' || (await files.kind(path)) === 'folder' ? path : await folderAround(files, above(path))
}

/** The root of the repository that a canonical folder lies in. */
export async function repositoryAround(files: Files, folder: string): Promise<string | undefined> {
  if (folder === '/') return undefined
  return (await files.kind(`${folder}/.git`)) === 'missing'
    ? await repositoryAround(files, above(folder))
    : folder
}

const above = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')))

/** Tasks are stored under the canonical path of their folder, so they are looked for under it too. */
export const taskPath = (context: Context, params: { readonly task_id: string }): Promise<string> =>
  canonical(context, 'task_id', params.task_id)

export async function optionalTaskPath(
  context: Context,
  { task_id }: { readonly task_id?: string | undefined },
): Promise<string | undefined> {
  return task_id === undefined ? undefined : await taskPath(context, { task_id })
}

const turns = new Map<string, Promise<unknown>>()

/** Of all that is done under one name, each begins when the one before has ended. */
export async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(name)
  const mine = (async () => {
    await before?.catch(() => undefined)
    return await work()
  })()
  turns.set(name, mine)
  try {
    return await mine
  } finally {
    if (turns.get(name) === mine) turns.delete(name)
  }
}

/** The same parameters give the same digest, in whatever order they were written. */
export function digestOf(params: unknown): string {
  // Found at its first use, because it would be the slowest import of a daemon that starts.
  return process.getBuiltinModule('node:crypto').hash('sha256', JSON.stringify(sorted(params)))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  )
}
