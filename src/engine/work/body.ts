import type { Effort } from '../../model/effort.ts'
import { effortNotFound, EngineError } from '../../model/error.ts'
import type { ProjectPlace } from '../../model/project.ts'
import { quoted } from '../../model/text/line.ts'
import { WORK_SKILL } from '../../model/work/item.ts'
import { findEffort, lockEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { activeBodies, findBody, insertBody, newestBody } from '../../store/work.ts'
import type { Context } from '../call/context.ts'
import { type Here, optionalHere, rootAround } from '../call/here.ts'
import type { Call } from '../call/method.ts'
import * as p from '../call/params.ts'
import { startEffort } from '../effort/life.ts'
import { activeEffort } from '../effort/ownership.ts'
import { skillOf } from '../effort/runbook-plan.ts'
import { newTask } from '../session/own-task.ts'
import type { TasksThere } from '../session/project-session.ts'
import { keepPlan } from '../skill/kept-plan.ts'

/** The parameters that select a body of work. */
export const bodyWish = {
  effort_id: p.id.optional().describe('The body of work. Default: the only active one of the project.'),
  cwd: p.cwd.optional().describe('The folder that the caller works in.'),
}

/** Finds where the caller works, before the transaction. */
export const whereFrom = async (
  context: Context,
  { effort_id, cwd }: { readonly effort_id?: number | undefined; readonly cwd?: string | undefined },
): Promise<BodyWish> => ({ effort_id, here: await optionalHere(context, 'cwd', cwd) })

/** Which body of work a call is about. */
export interface BodyWish {
  readonly effort_id?: number | undefined
  /** Where the caller works. */
  readonly here?: Here | undefined
}

/** The effort of the body of work that a call means: the one that it names, else the only active one of the project. */
export async function bodyMeant(tx: Tx, wish: BodyWish): Promise<Effort> {
  const id = wish.effort_id ?? (await onlyBody(tx, wish)) ?? (await lastBody(tx, wish))
  if (id === undefined)
    throw new EngineError('not-found', 'This project has no body of work.', {
      hint: 'holdfast work add TITLE',
    })
  const row = await findEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  if ((await findBody(tx, { effort_id: id })) !== undefined) return toEffort(row)
  throw new EngineError('conflict', `Effort ${id} (${row.skill}) is no body of work.`, {
    field: 'effort_id',
    hint: `holdfast effort show ${id}`,
  })
}

/** The last one that was finished here: people ask how it went. */
async function lastBody(tx: Tx, { here }: BodyWish): Promise<number | undefined> {
  const project = here === undefined ? undefined : (await rootAround(tx, here))?.of
  return project === undefined ? undefined : (await newestBody(tx, { project_id: project.id }))?.effort_id
}

/** The only active body of work here; undefined if there is none. */
export async function onlyBody(tx: Tx, { here }: BodyWish): Promise<number | undefined> {
  const project = here === undefined ? undefined : (await rootAround(tx, here))?.of
  const bodies = project === undefined ? [] : await activeBodies(tx, { project_id: project.id })
  const [first, ...others] = bodies
  if (others.length === 0) return first?.effort_id
  const names = bodies.map(
    ({ effort_id, title }) => `${quoted(title, 80)}: holdfast work list --effort ${effort_id}`,
  )
  throw new EngineError(
    'conflict',
    `This project has ${bodies.length} bodies of work; name one with --effort.\n${names.join('\n')}`,
    { field: 'effort_id', hint: `holdfast work list --effort ${first?.effort_id}` },
  )
}

/** Locks a body of work: its decisions are made one after the other, on every daemon of the database. */
export async function lockBody(tx: Tx, { id }: Pick<Effort, 'id'>): Promise<Effort> {
  return await activeEffort(tx, id, 'worked on')
}

/** The same, also if it is finished. */
export async function lockAny(tx: Tx, { id }: Pick<Effort, 'id'>): Promise<Effort> {
  const row = await lockEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  return toEffort(row)
}

/** Begins a body of work, on a task of its own. Its plan is the graph of its items, whatever skills there are. */
export async function beginBody(
  tx: Tx,
  {
    place,
    tasks,
    title,
  }: { readonly place: ProjectPlace; readonly tasks?: TasksThere | undefined; readonly title: string },
  call: Call,
): Promise<Effort> {
  const { workplace_id } = place
  const wanted = { skill: WORK_SKILL, request: title }
  const task_id = await newTask(tx, { place, tasks, ...wanted }, call)
  const plan_digest = await keepPlan(
    tx,
    skillOf({ name: WORK_SKILL, workplace_id, plan: null, details: null }),
  )
  const effort = await startEffort(tx, { task_id, workplace_id, ...wanted, plan_digest }, call)
  await insertBody(tx, { effort_id: effort.id, title, now: call.now })
  return effort
}
