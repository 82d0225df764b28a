import { parentOf } from '../../model/directive.ts'
import { EngineError } from '../../model/error.ts'
import { innermost, isInside } from '../../model/project.ts'
import { type KnownRoot, listRoots } from '../../store/workplace.ts'
import type { Context } from './context.ts'
import { registering } from './repository.ts'

/** Rejects the home of the daemon, because opening the database files would drop SQLite's locks. */
export async function refuseOurHome({ files, daemon }: Context, real: string): Promise<void> {
  if (isInside(await files.canonical(daemon.status().home), real))
    throw new EngineError('forbidden', `${real} is inside the home of holdfast.`, {
      field: 'path',
      hint: 'holdfast query "SELECT ..."',
    })
}

/** A canonical path and the workplace that contains it. */
export interface Place {
  readonly path: string
  readonly root: string
  readonly project_id: number
}

/** Resolves a path and requires that its real location is inside a project. */
export async function confine(context: Context, path: string): Promise<Place> {
  const real = await realPath(context, path)
  const roots = await context.store.transact((tx) => listRoots(tx, context.machine), { reads: true })
  return await placeAmong(context, roots, real)
}

/** The real location of a path to read or write. */
export async function realPath(context: Context, path: string): Promise<string> {
  if (path.split('/').includes('..'))
    throw new EngineError('forbidden', `${path} contains "..", which is not allowed.`, {
      field: 'path',
      hint: 'Pass the path without "..".',
    })
  const real = await context.files.canonical(path)
  await refuseOurHome(context, real)
  return real
}

/** The workplace that contains a real path. */
export async function placeAmong(
  context: Context,
  roots: readonly KnownRoot[],
  real: string,
): Promise<Place> {
  const found = innermost(roots, real)
  if (found === undefined)
    throw new EngineError('forbidden', `${real} is not inside a registered project.`, {
      field: 'path',
      hint: await registering(context, real),
    })
  return { path: real, root: found.path, project_id: found.of.id }
}

/** A file of ours in a folder of a project. The file is no link, and the folder links to no other project. */
export async function ownFile(
  context: Context,
  roots: readonly KnownRoot[],
  { path, project_id }: Pick<Place, 'path' | 'project_id'>,
): Promise<Place> {
  const folder = parentOf(path)
  const real = await realPath(context, folder)
  const place = await placeAmong(context, roots, `${real}${path.slice(folder.length)}`)
  // A repository may have begun around a folder that is no link.
  if (real !== folder && place.project_id !== project_id)
    throw new EngineError('forbidden', `${folder} is a link to ${real}, which is in another project.`, {
      field: 'path',
    })
  return place
}
