import type * as z from 'zod'
import type { Effort } from '../model/effort.ts'
import { effortNotFound, EngineError, projectNotFound } from '../model/error.ts'
import { type Project, projectOf } from '../model/project.ts'
import { findActiveEfforts, findEffort, toEffort } from '../store/effort.ts'
import { findProjectOfTask, listProjects } from '../store/project.ts'
import type { Tx } from '../store/query.ts'
import { findOpenByNative } from '../store/session.ts'
import { canonical } from './call-details.ts'
import type { Context } from './context.ts'
import * as p from './params.ts'

/** The ways to say which effort is meant: by its id, by the client's session that serves it, or by where one is. */
export const effortWish = {
  effort_id: p.id.optional(),
  native_id: p.name.optional().describe("The client's own id of a session; its effort is meant."),
  path: p.path.optional().describe('A folder; without an id the active effort there is meant.'),
}

export type EffortWish = z.output<z.ZodObject<typeof effortWish>>

export async function optionalPath(context: Context, { path }: EffortWish): Promise<string | undefined> {
  return path === undefined ? undefined : await canonical(context, 'path', path)
}

export interface Meant {
  readonly project: Project
  /** Nothing where no effort is active. */
  readonly effort: Effort | undefined
  /** Others that could be meant as well. */
  readonly rivals: readonly Effort[]
}

/** The effort that is meant; of several active ones in a folder the newest, and the others beside it. */
export async function effortMeant(tx: Tx, wish: EffortWish): Promise<Meant> {
  if (wish.effort_id !== undefined) return await meantById(tx, wish.effort_id)
  const session =
    wish.native_id === undefined ? undefined : await findOpenByNative(tx, { native_id: wish.native_id })
  if (session !== undefined) return await meantById(tx, session.effort_id)
  if (wish.path === undefined)
    throw new EngineError('invalid', 'Say which effort is meant, or in which folder.', {
      field: 'effort_id',
      hint: 'holdfast effort find-active',
    })
  const project = projectOf(await listProjects(tx, {}), wish.path)
  if (project === undefined) throw projectNotFound(wish.path)
  const [effort, ...rivals] = await activeAt(tx, project, wish.path)
  return { project, effort, rivals }
}

async function meantById(tx: Tx, id: number): Promise<Meant> {
  const row = await findEffort(tx, { id })
  const project = row === undefined ? undefined : await findProjectOfTask(tx, { dir_path: row.task_id })
  if (row === undefined || project === undefined) throw effortNotFound(id)
  return { project, effort: toEffort(row), rivals: [] }
}

const MOST = 100

/** Those of the innermost task around the folder, else those of the whole project. */
async function activeAt(tx: Tx, project: Project, path: string): Promise<readonly Effort[]> {
  const efforts = (await findActiveEfforts(tx, { projectId: project.id, limit: MOST })).map(toEffort)
  const around = efforts.map(({ task_id: task }) => ({ path: task }))
  const innermost = projectOf(around, path)?.path
  return innermost === undefined ? efforts : efforts.filter(({ task_id: task }) => task === innermost)
}
