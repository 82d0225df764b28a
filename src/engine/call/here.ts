import { projectIdNotFound } from '../../model/error.ts'
import { innermost, type Location, rootOf } from '../../model/project.ts'
import { findProject } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { type KnownRoot, listRoots } from '../../store/workplace.ts'
import type { Context, Machine } from './context.ts'
import { canonical } from './paths.ts'
import { locate } from './repository.ts'

/** A location on this machine. */
export interface Here extends Location, Machine {}

/** Finds the checkout around a canonical path. */
export const hereAt = async ({ files, machine }: Context, path: string): Promise<Here> => ({
  ...machine,
  ...(await locate(files, path)),
})

/** The same for an optional path parameter. */
export async function optionalHere(
  context: Context,
  field: string,
  path: string | undefined,
): Promise<Here | undefined> {
  return path === undefined ? undefined : await hereAt(context, await canonical(context, field, path))
}

/** The root of a location, and what the store knows of it. */
export async function rootAt(
  tx: Tx,
  here: Here,
): Promise<{ readonly path: string; readonly known: KnownRoot | undefined }> {
  const roots = await listRoots(tx, here)
  const { path } = rootOf(roots, here)
  return { path, known: roots.find((root) => root.path === path) }
}

/** The known project of a location; a worktree that nobody has worked in belongs to its repository. */
export async function rootAround(tx: Tx, here: Here): Promise<KnownRoot | undefined> {
  const roots = await listRoots(tx, here)
  const { path, project } = rootOf(roots, here)
  const known = roots.find((root) => root.path === path && root.project === project)
  if (known !== undefined) return known
  const of = roots.find((root) => root.project === project)?.of
  return of === undefined ? innermost(roots, here.folder) : { path, project, of, workplace: undefined }
}

/** A project by its id, in the workplace around a folder, else in its main checkout on this machine. */
export async function rootMeant(
  tx: Tx,
  { project_id, here }: { readonly project_id: number; readonly here?: Here | undefined },
  machine: Machine,
): Promise<KnownRoot> {
  const of = await findProject(tx, { id: project_id })
  if (of === undefined) throw projectIdNotFound(project_id)
  const around = here === undefined ? undefined : await rootAround(tx, here)
  if (around?.of.id === of.id) return around
  const roots = (await listRoots(tx, machine)).filter((root) => root.of.id === of.id)
  const main = roots.find(({ path }) => path === of.path)
  return main ?? roots[0] ?? { path: of.path, project: of.path, of, workplace: undefined }
}
