import type * as z from 'zod'
import { AD_HOC_ORDINAL, type Effort } from '../../model/effort.ts'
import {
  adHocEffort,
  effortFinished,
  effortNotFound,
  EngineError,
  projectNotFound,
} from '../../model/error.ts'
import { isInside, type Project, projectOf } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import { findAgent } from '../../store/agent.ts'
import { findActiveEfforts, findEffort, lastFinishedIn, listEfforts, toEffort } from '../../store/effort.ts'
import { findProjectOfTask, listProjects } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative, findOpenByNative } from '../../store/session.ts'
import { beginningOf } from './beginning.ts'
import { canonical } from '../call/paths.ts'
import type { Context } from '../call/context.ts'
import type { Asker } from './holder.ts'
import * as p from '../call/params.ts'

/** Whose work is meant: that of a task, else that of the project that somebody works in. */
export interface Wanted extends Asker {
  readonly task_id?: string | undefined
  readonly folder?: string | undefined
  readonly effort_id?: number | undefined
}

const MOST_ACTIVE = 1000

/** The efforts that may be meant: first the asker's own, then the newest. */
export async function activeWork(tx: Tx, wanted: Wanted): Promise<readonly Effort[]> {
  const { task_id, folder } = wanted
  const project = folder === undefined ? undefined : projectOf(await listProjects(tx, {}), folder)
  const scope = task_id === undefined ? { projectId: project?.id } : { task_id }
  const isAnywhere = task_id === undefined && project === undefined
  const rows = isAnywhere ? [] : await findActiveEfforts(tx, { ...scope, limit: MOST_ACTIVE })
  const own = (await ownEfforts(tx, wanted)).filter(({ lifecycle }) => lifecycle === 'active')
  const ids = new Set(own.map(({ id }) => id))
  return [...own, ...rows.filter(({ id }) => !ids.has(id)).map(toEffort)]
}

/** An effort that somebody knows by its id; the ad-hoc effort is nothing to go on with. */
export async function workNamed(tx: Tx, id: number): Promise<Effort> {
  const row = await findEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  if (row.ordinal === AD_HOC_ORDINAL) throw adHocEffort(id, 'continued', row.task_id)
  return toEffort(row)
}

/** What the asker itself has been at, active or not. */
async function ownEfforts(tx: Tx, { agent_id, native_id, task_id }: Wanted): Promise<readonly Effort[]> {
  const agent = agent_id === undefined ? undefined : await findAgent(tx, { id: agent_id })
  const window = native_id === undefined ? undefined : await findLastByNative(tx, { native_id })
  const ids = [agent?.effort_id, window?.effort_id].filter((id) => id !== null && id !== undefined)
  const own: Effort[] = []
  for (const id of new Set(ids)) {
    const row = await findEffort(tx, { id })
    if (row !== undefined && row.ordinal !== AD_HOC_ORDINAL) own.push(toEffort(row))
  }
  return task_id === undefined ? own : own.filter((effort) => effort.task_id === task_id)
}

/** The last effort of a task or a project that is finished, where none is active. */
export async function lastFinished(tx: Tx, wanted: Wanted): Promise<Effort | undefined> {
  const [own] = await ownEfforts(tx, wanted)
  if (own !== undefined) return own
  if (wanted.task_id === undefined) return undefined
  const rows = await listEfforts(tx, { task_id: wanted.task_id })
  const last = rows.findLast(({ ordinal }) => ordinal !== AD_HOC_ORDINAL)
  return last === undefined ? undefined : toEffort(last)
}

/** The one effort that is meant; where several could be, nobody guesses. */
export async function oneEffort(tx: Tx, wanted: Wanted): Promise<Effort> {
  const own = await ownEfforts(tx, wanted)
  const mine = own.find(({ lifecycle }) => lifecycle === 'active')
  if (mine !== undefined) return mine
  // What others are at is not what somebody means who has finished.
  if (own[0] !== undefined) throw effortFinished(own[0].id, own[0].skill, own[0].task_id)
  const [only, ...others] = nearest(await activeWork(tx, wanted), wanted.folder)
  if (only === undefined) throw await nothingActive(tx, wanted)
  if (others.length > 0) throw severalActive([only, ...others])
  return only
}

/** Those of the innermost task that a folder lies in; all of them where it lies in none. */
function nearest(efforts: readonly Effort[], folder: string | undefined): readonly Effort[] {
  const around = efforts.filter(({ task_id }) => folder !== undefined && isInside(task_id, folder))
  const innermost = Math.max(0, ...around.map(({ task_id }) => task_id.length))
  return around.length === 0 ? efforts : around.filter(({ task_id }) => task_id.length === innermost)
}

/** Why there is nothing to go on with: nothing was begun, or all of it is finished. */
export async function nothingActive(tx: Tx, { task_id, folder }: Wanted): Promise<EngineError> {
  const place = task_id ?? folder
  const project = place === undefined ? undefined : projectOf(await listProjects(tx, {}), place)
  const last =
    project === undefined
      ? undefined
      : await lastFinishedIn(tx, { project_id: project.id, task_id: task_id ?? null })
  if (last === undefined) {
    const { command, choice } = await beginningOf(tx, { dir: place, project_id: project?.id })
    return notFound(`No effort is active in ${place ?? 'any project'}.${choice}`, command)
  }
  const { count, id, skill, task_id: task } = last
  const all = count === 1 ? 'The only effort' : `All ${count} efforts`
  return notFound(
    `${all} in ${task_id ?? project?.path} ${count === 1 ? 'is' : 'are'} finished, the last one effort ${id} (${skill}) of ${task}.`,
    `holdfast effort start ${shellWord(task)} ${shellWord(skill)}`,
  )
}

const notFound = (message: string, hint: string) =>
  new EngineError('not-found', message, { field: 'dir', hint })

const severalActive = (efforts: readonly Effort[]) =>
  new EngineError(
    'conflict',
    `Several efforts are active: ${efforts.map(({ id, skill, task_id }) => `${id} (${skill}, ${task_id})`).join('; ')}. Say which one.`,
    { field: 'effort_id', hint: `holdfast log TEXT --effort-id ${efforts[0]?.id ?? 'ID'}` },
  )

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
  if (project === undefined) throw projectNotFound(wish.path, wish.path)
  const [effort, ...rivals] = nearest(await activeWork(tx, { folder: wish.path }), wish.path)
  return { project, effort, rivals }
}

async function meantById(tx: Tx, id: number): Promise<Meant> {
  const row = await findEffort(tx, { id })
  const project = row === undefined ? undefined : await findProjectOfTask(tx, { dir_path: row.task_id })
  if (row === undefined || project === undefined) throw effortNotFound(id)
  return { project, effort: toEffort(row), rivals: [] }
}
