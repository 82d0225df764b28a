import * as z from 'zod'
import { AD_HOC_ORDINAL } from '../model/effort.ts'
import { effortNotFound, taskNotFound } from '../model/error.ts'
import { phasesNotEntered } from '../model/phase.ts'
import { mergeKeywords } from '../model/task.ts'
import { findOwner, setAgentEffort } from '../store/agent.ts'
import {
  findActiveEfforts,
  findEffort,
  finishEffort,
  insertEffort,
  listEfforts,
  lockEffort,
  toEffort,
} from '../store/effort.ts'
import { toJson } from '../store/json.ts'
import { findProjectOfTask } from '../store/project.ts'
import type { Tx } from '../store/query.ts'
import { findTask, lockTask, nextOrdinal, setKeywords } from '../store/task.ts'
import { optionalTaskPath, taskPath } from './call-details.ts'
import { checkEffort } from './effort-checks.ts'
import { method } from './method.ts'
import { activeEffort, claimEffort, idleAgent } from './ownership.ts'
import * as p from './params.ts'
import { historyOf, phasesOf, whatNext } from './plan.ts'

export const start = method({
  name: 'db.effort.start',
  summary: 'Begin applying a skill to a task; the ordinal is given here.',
  effect: 'durable',
  params: z.strictObject({
    task_id: p.taskId,
    skill: p.skillName,
    mode: p.name.optional().describe('One of the modes of the skill.'),
    metadata: p.object.optional().describe('Whatever else is to be kept with the effort.'),
    agent_id: p.name.optional().describe('The agent that is to own the effort.'),
  }),
  prepare: taskPath,
  async run(tx, params, call) {
    const taskId = call.prepared
    // Asked first: a refusal must not speak of an effort that is undone with it.
    if (params.agent_id !== undefined) await idleAgent(tx, { agent_id: params.agent_id, skill: params.skill })
    const counter = await nextOrdinal(tx, { dir_path: taskId })
    if (counter === undefined) throw taskNotFound(taskId)
    const row = await insertEffort(tx, {
      task_id: taskId,
      skill: params.skill,
      mode: params.mode ?? null,
      ordinal: counter.last_ordinal,
      metadata: toJson(params.metadata),
      agent_id: null,
      now: call.now,
    })
    if (row === undefined) throw new Error('The effort was not stored.')
    const project = await findProjectOfTask(tx, { dir_path: taskId })
    if (project !== undefined) call.context.skillFolders.want(project.path)
    await call.record(tx, {
      event_type: 'effort.started',
      skill: row.skill,
      effort_id: row.id,
      payload: { task_id: taskId, ordinal: row.ordinal },
    })
    if (params.agent_id === undefined) return toEffort(row)
    await claimEffort(tx, { agent_id: params.agent_id, effort_id: row.id }, call)
    return { ...toEffort(row), agent_id: params.agent_id }
  },
})

const keywords = p.textUpTo(2000).describe('Words to find the task by, with commas between.')

export const finish = method({
  name: 'db.effort.finish',
  summary: 'End an effort; its artifacts stay, its agent is free, keywords are added to the task.',
  effect: 'durable',
  params: z.strictObject({ effort_id: p.id, keywords: keywords.optional() }),
  async run(tx, params, call) {
    const known = await lockEffort(tx, { id: params.effort_id })
    if (known?.lifecycle === 'finished') return toEffort(known)
    const effort = await activeEffort(tx, params.effort_id, 'finished')
    const owner = await findOwner(tx, { effort_id: effort.id })
    if (owner !== undefined) await setAgentEffort(tx, { id: owner.id, effort_id: null })
    const task = await lockTask(tx, { dir_path: effort.task_id })
    const merged = mergeKeywords(task?.keywords ?? null, params.keywords)
    if (merged !== task?.keywords) await setKeywords(tx, { dir_path: effort.task_id, keywords: merged })
    const row = await finishEffort(tx, { id: effort.id, now: call.now })
    const history = await historyOf(tx, effort.id)
    const entered = history.map(({ phase_label }) => phase_label)
    await call.record(tx, {
      event_type: 'effort.finished',
      skill: effort.skill,
      phase: effort.current_phase ?? '',
      effort_id: effort.id,
      ...(owner !== undefined && { agent_id: owner.id }),
      payload: { phases_not_entered: phasesNotEntered(await phasesOf(tx, effort), entered) },
    })
    return { ...effort, ...(row && toEffort(row)) }
  },
})

export const list = method({
  name: 'db.effort.list',
  summary: 'List the efforts of a task in order; the standing ad-hoc effort only when asked for.',
  effect: 'read',
  params: z.strictObject({
    task_id: p.taskId,
    ad_hoc: z.boolean().default(false).describe('Also the ad-hoc effort.'),
  }),
  prepare: taskPath,
  async run(tx, params, call) {
    const taskId = call.prepared
    if ((await findTask(tx, { dir_path: taskId })) === undefined) throw taskNotFound(taskId)
    const rows = await listEfforts(tx, { task_id: taskId })
    return rows.filter((row) => params.ad_hoc || row.ordinal !== AD_HOC_ORDINAL).map(toEffort)
  },
})

export const get = method({
  name: 'db.effort.get',
  summary: 'Show one effort with its phase history.',
  effect: 'read',
  params: z.strictObject({ effort_id: p.id }),
  async run(tx, params) {
    const { effort, phases, history } = await effortWithPlan(tx, params.effort_id)
    return { ...effort, phase_history: history, ...whatNext(phases, effort.current_phase) }
  },
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
    limit: p.limit,
  }),
  prepare: optionalTaskPath,
  async run(tx, { project_id: projectId, ...filter }, { prepared: taskId }) {
    return (await findActiveEfforts(tx, { ...filter, task_id: taskId, projectId })).map(toEffort)
  },
})

export const validate = method({
  name: 'db.effort.validate',
  summary: 'Check an effort against its plan: pass or fail for each check.',
  effect: 'read',
  params: z.strictObject({ effort_id: p.id }),
  async run(tx, params) {
    const { effort, phases, history } = await effortWithPlan(tx, params.effort_id)
    const checks = checkEffort({ phases, history })
    return { effort_id: effort.id, valid: checks.every((check) => check.pass), checks }
  },
})

/** An effort beside what its skill declares and what it has entered. */
async function effortWithPlan(tx: Tx, id: number) {
  const row = await findEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  const effort = toEffort(row)
  return { effort, phases: await phasesOf(tx, effort), history: await historyOf(tx, id) }
}
