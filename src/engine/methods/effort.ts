import * as z from 'zod'
import { type Effort, isAdHoc } from '../../model/effort.ts'
import { effortNotFound, taskNotFound } from '../../model/error.ts'
import { failureTexts } from '../../model/plan/failure.ts'
import { nextActions, optionalAmong } from '../../model/plan/next-action.ts'
import { listApprovals } from '../../store/approval.ts'
import { listArtifacts, toArtifact } from '../../store/artifact.ts'
import { findActiveEfforts, findEffort, listEfforts, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findSessions, type SessionRow } from '../../store/session.ts'
import { listVisits } from '../../store/step.ts'
import { findTask } from '../../store/task.ts'
import { workplaceOfTask } from '../../store/workplace.ts'
import { optionalTaskPath, taskPath } from '../call/paths.ts'
import { checkEffort } from '../effort/checks.ts'
import { readEffortFiles } from '../effort/files.ts'
import { finish as closing } from '../effort/finish.ts'
import { effortToChange } from '../effort/holder.ts'
import { startEffort } from '../effort/life.ts'
import { chainOfEffort } from '../../store/continuation.ts'
import { viewOf } from '../../model/chain/view.ts'
import { knowsNext } from '../effort/chain-meant.ts'
import { framesOf } from '../effort/frames.ts'
import { nextInChain } from '../effort/called-by.ts'
import { setAsideBy } from '../effort/set-aside.ts'
import { method } from '../call/method.ts'
import { endOthers } from '../session/session-window.ts'
import * as p from '../call/params.ts'
import { followedBy, historyOf, whatNext } from '../plan/plan.ts'
import { digestsOfEffort, type SeenFiles } from '../plan/recorded.ts'
import { andReturn } from '../session/come-back.ts'
import { checkMode, knownSkill } from '../skill/known-skill.ts'
import { bodyAtWork } from '../effort/body-counts.ts'
import { waitingEdit } from '../skill/plan-edits.ts'
import { todosOf } from '../effort/todo-marks.ts'

export const start = method({
  name: 'db.effort.start',
  summary: 'Start an effort on a task; the effort gets the next number of the task.',
  effect: 'durable',
  params: z.strictObject({
    task_id: p.taskId,
    skill: p.skillName,
    mode: p.name.optional().describe('A mode of the skill.'),
    metadata: p.object.optional().describe('Any other data to store with the effort.'),
    agent_id: p.name.optional().describe('The agent that will own the effort.'),
  }),
  prepare: taskPath,
  async run(tx, params, call) {
    const task_id = call.prepared
    const place = await workplaceOfTask(tx, { dir_path: task_id })
    if (place === undefined) throw taskNotFound(task_id)
    const skill = await knownSkill(tx, { name: params.skill, place, field: 'skill' })
    checkMode(skill, { task: task_id, mode: params.mode })
    return await startEffort(tx, { ...params, task_id }, call)
  },
})

export const finish = method({
  name: 'db.effort.finish',
  summary: 'Finish an effort: keep its artifacts, release its agent, add the keywords to the task.',
  effect: 'durable',
  params: z.strictObject({
    effort_id: p.id,
    keywords: p.keywords.optional(),
    description: p.text.optional().describe('What was done. Stored with the effort.'),
    proof: p.object.optional().describe('The proof fields of the last phase, by name.'),
    result: p.json.optional().describe('What the effort ends with, in the form that its skill declares.'),
    abandon: p.reason.optional().describe('Why it ends although something of its plan is open.'),
    agent_id: p.caller.agent_id,
    native_id: p.caller.native_id
      .nullable()
      .optional()
      .describe("The client's id of the session that finishes it, or null; other sessions learn of it."),
  }),
  prepare: digestsOfEffort,
  async run(tx, { native_id: caller, ...params }, call) {
    const { effort_id, agent_id, abandon } = params
    const native_id = caller ?? undefined
    const isTold = abandon !== undefined && caller !== undefined
    if (isTold && (await findEffort(tx, { id: effort_id }))?.lifecycle === 'active') {
      // Only who may give it up ends the sessions of others.
      await effortToChange(tx, { effort_id, agent_id, native_id }, 'finished', call.context)
      await endOthers(tx, { effortId: effort_id, native_id }, call)
    }
    const finishing = { ...params, native_id }
    const ended = await andReturn(tx, effort_id, call, () => closing(tx, finishing, call.prepared, call))
    return { ...ended, next: await nextInChain(tx, ended) }
  },
})

export const list = method({
  name: 'db.effort.list',
  summary: 'List the efforts of a task in order, without the ad-hoc effort unless requested.',
  effect: 'read',
  params: z.strictObject({
    task_id: p.taskId,
    ad_hoc: z.boolean().default(false).describe('Include the ad-hoc effort.'),
  }),
  prepare: taskPath,
  async run(tx, params, call) {
    const taskId = call.prepared
    if ((await findTask(tx, { dir_path: taskId })) === undefined) throw taskNotFound(taskId)
    const rows = await listEfforts(tx, { task_id: taskId })
    return rows.filter((row) => params.ad_hoc || !isAdHoc(row)).map(toEffort)
  },
})

export const get = method({
  name: 'db.effort.get',
  summary: 'Show an effort: phases, steps, approvals, artifacts, sessions and the next action.',
  effect: 'read',
  params: z.strictObject({ effort_id: p.id }),
  prepare: digestsOfEffort,
  async run(tx, params, { prepared }) {
    const { effort, history, ...followed } = await effortWithPlan(tx, params.effort_id, prepared)
    const { plan, progress } = followed
    const body = plan === undefined ? await bodyAtWork(tx, effort) : undefined
    const next =
      body === undefined || effort.lifecycle === 'finished' ? nextActions(effort, followed) : [body.next]
    const filter = { effort_id: effort.id }
    const aside = effort.lifecycle === 'finished' ? undefined : await setAsideBy(tx, effort)
    return {
      ...effort,
      phase_history: history,
      ...whatNext(followed, effort.current_phase),
      steps: plan?.notation === 'phases' ? [] : await listVisits(tx, filter),
      todos: await todosOf(tx, effort),
      approvals: await listApprovals(tx, filter),
      artifacts: (await listArtifacts(tx, filter)).map(toArtifact),
      set_aside_by: aside === undefined ? null : inShort(aside),
      sessions: (await findSessions(tx, { ...filter, limit: MOST_SESSIONS })).map(inShort),
      plan_edit: await waitingEdit(tx, effort),
      chain: await chainWithEffort(tx, effort),
      next,
      optional: optionalAmong(next, effort.id, followed),
      reason: effort.lifecycle === 'finished' ? null : (body?.parked ?? progress.reason ?? null),
      failures: plan === undefined ? [] : failureTexts(plan, progress),
    }
  },
})

/** The chain of which the effort does a skill. */
async function chainWithEffort(tx: Tx, { id, workplace_id }: Effort) {
  const row = await chainOfEffort(tx, { effort_id: id })
  if (row === undefined) return null
  const frames = await framesOf(tx, row.chain_id)
  return viewOf(frames, await knowsNext(tx, frames, workplace_id ?? undefined))
}

const MOST_SESSIONS = 20

const inShort = ({ id, client, native_id, created_at, ended_at, ended_reason }: SessionRow) => ({
  id,
  client,
  native_id,
  created_at,
  ended_at,
  ended_reason,
})

export const findActive = method({
  name: 'db.effort.findActive',
  summary: 'Find active efforts by task, agent, skill or project, newest first.',
  effect: 'read',
  params: z.strictObject({
    task_id: p.taskId.optional(),
    agent_id: p.name.optional(),
    skill: p.skillName.optional(),
    project_id: p.id.optional(),
    finished: z.boolean().default(false).describe('Include finished efforts.'),
    limit: p.limit,
  }),
  prepare: optionalTaskPath,
  async run(tx, { project_id: projectId, ...filter }, { prepared: taskId }) {
    return (await findActiveEfforts(tx, { ...filter, task_id: taskId, projectId })).map(toEffort)
  },
})

export const validate = method({
  name: 'db.effort.validate',
  summary: 'Check an effort against its plan and its files, with pass or fail and the lines for each check.',
  effect: 'read',
  params: z.strictObject({ effort_id: p.id }),
  prepare: readEffortFiles,
  async run(tx, params, { prepared: files }) {
    const { effort, phases, history, ...work } = await effortWithPlan(tx, params.effort_id)
    const checks = checkEffort({ phases, history, files, work, todos: await todosOf(tx, effort) })
    return { effort_id: effort.id, valid: checks.every((check) => check.pass), checks }
  },
})

/** An effort with the phases that its skill declares and the ones it has entered. */
async function effortWithPlan(tx: Tx, id: number, files?: SeenFiles) {
  const row = await findEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  const effort = toEffort(row)
  return { effort, ...(await followedBy(tx, effort, files)), history: await historyOf(tx, id) }
}
