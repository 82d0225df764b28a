import { EngineError, projectNotFound } from '../../model/error.ts'
import type { Tx } from '../../store/query.ts'
import type { KnownRoot } from '../../store/workplace.ts'
import type { Context } from './context.ts'
import { type Here, hereAt, rootAround, rootMeant } from './here.ts'
import * as p from './params.ts'
import { canonical } from './paths.ts'

/** Parameters that name a project. */
export const where = {
  path: p.path.optional().describe('A folder. The project that contains it is used.'),
  project_id: p.id.optional(),
}

export interface Where {
  readonly path?: string | undefined
  readonly project_id?: number | undefined
}

/** The project that a caller means, in one of its folders on this machine. */
export async function rootIn(context: Context, params: Where): Promise<KnownRoot> {
  const here = await hereMeant(context, params)
  return await context.store.transact((tx) => meantRoot(tx, context, { ...params, here }), { reads: true })
}

/** The checkout around the folder that a caller names. */
export const hereMeant = async (context: Context, { path }: Where): Promise<Here | undefined> =>
  path === undefined ? undefined : await hereAt(context, await canonical(context, 'path', path))

/** The same, once the checkout is known. */
export async function meantRoot(
  tx: Tx,
  { machine }: Context,
  { path = '', project_id, here }: Where & { readonly here: Here | undefined },
): Promise<KnownRoot> {
  if (project_id !== undefined) return await rootMeant(tx, { project_id, here }, machine)
  if (here === undefined)
    throw new EngineError('invalid', 'Name the project: pass path or project_id.', { field: 'path' })
  const root = await rootAround(tx, here)
  if (root === undefined) throw projectNotFound(path, path)
  return root
}
