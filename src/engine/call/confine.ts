import { EngineError } from '../../model/error.ts'
import { isInside, type Project, projectOf } from '../../model/project.ts'
import { listProjects } from '../../store/project.ts'
import type { Context } from './context.ts'
import { registering } from './repository.ts'

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
  const real = await realPath(context, path)
  const projects = await context.store.transact((tx) => listProjects(tx, {}), { reads: true })
  return await placeAmong(context, projects, real)
}

/** Where a path really leads that somebody wants to read or write. */
export async function realPath(context: Context, path: string): Promise<string> {
  if (path.split('/').includes('..'))
    throw new EngineError('forbidden', `${path} holds "..", which is not followed.`, {
      field: 'path',
      hint: 'Give the path it leads to.',
    })
  const real = await context.files.canonical(path)
  await refuseOurHome(context, real)
  return real
}

/** The one of these projects that a real path lies in. */
export async function placeAmong(
  context: Context,
  projects: readonly Project[],
  real: string,
): Promise<Place> {
  const project = projectOf(projects, real)
  if (project === undefined)
    throw new EngineError('forbidden', `${real} is not inside a registered project.`, {
      field: 'path',
      hint: await registering(context, real),
    })
  return { path: real, root: project.path, project_id: project.id }
}
