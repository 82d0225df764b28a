import { EngineError } from '../../model/error.ts'
import { isInside, projectOf } from '../../model/project.ts'
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
