import type { Effort } from '../../model/effort.ts'
import { taskNotFound } from '../../model/error.ts'
import { provenIn } from '../../model/plan/evidence.ts'
import { endAll, stepsLeft } from '../../model/plan/moves.ts'
import { phasesNotEntered } from '../../model/plan/phase.ts'
import type { SkillDetails } from '../../model/skill.ts'
import { mergeKeywords } from '../../model/task.ts'
import { findOwner, setAgentEffort } from '../../store/agent.ts'
import { describeEffort, finishEffort, insertEffort, toEffort } from '../../store/effort.ts'
import { toJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, toEntry } from '../../store/skill.ts'
import { openSpansOfEffort } from '../../store/span.ts'
import { lockTask, nextOrdinal, setKeywords } from '../../store/task.ts'
import { workplaceOfTask } from '../../store/workplace.ts'
import type { Call } from '../call/method.ts'
import { completeSpans } from './complete-spans.ts'
import { activeEffort, claimEffort, idleAgent } from './ownership.ts'
import { followedBy, historyOf } from '../plan/plan.ts'
import { storeProgress } from '../plan/progress.ts'
import { holdAtStart, planAtStart } from '../skill/plan-edits.ts'

interface Wanted {
  readonly task_id: string
  readonly skill: string
  readonly mode?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly agent_id?: string | undefined
  /** Where it works; by default where its task lies. */
  readonly workplace_id?: number | undefined
  readonly request?: string | undefined
  /** The plan that it keeps, if that is not the one of its skill. */
  readonly plan_digest?: string | undefined
}

/** Starts an effort, for a caller or for a skill that a client runs. */
export async function startEffort(tx: Tx, wanted: Wanted, call: Call): Promise<Effort> {
  const { task_id: taskId, skill, agent_id: agentId } = wanted
  // Checked first, because a refusal must not name an effort that is rolled back.
  if (agentId !== undefined) await idleAgent(tx, { agent_id: agentId, skill })
  const ordinal = await ordinalIn(tx, taskId)
  const place = await workplaceOfTask(tx, { dir_path: taskId })
  if (place === undefined) throw new Error('The task has no workplace.')
  const { workplace_id = place.workplace_id } = wanted
  const definition = await findSkill(tx, { workplace_id, name: skill })
  const details = definition === undefined ? undefined : toEntry(definition).details
  const plan =
    wanted.plan_digest === undefined
      ? await planAtStart(tx, { workplace_id, skill, level: place.level }, call)
      : { plan_digest: wanted.plan_digest }
  const metadata = metadataOf(wanted, details ?? undefined)
  const { plan_digest } = plan
  const { mode, request } = wanted
  const added = { task_id: taskId, ordinal, skill, mode, request, metadata, workplace_id, plan_digest }
  const effort = await addEffort(tx, { ...added, agent_id: agentId }, call)
  call.context.skillFolders.want(place.root)
  await holdAtStart(tx, effort, plan, call)
  if (agentId === undefined) return effort
  await claimEffort(tx, { agent_id: agentId, effort_id: effort.id }, call)
  return { ...effort, agent_id: agentId }
}

/** The next ordinal of a task. */
export async function ordinalIn(tx: Tx, task_id: string): Promise<number> {
  const counter = await nextOrdinal(tx, { dir_path: task_id })
  if (counter === undefined) throw taskNotFound(task_id)
  return counter.last_ordinal
}

interface Added extends Omit<Wanted, 'plan_digest'> {
  readonly ordinal: number
  readonly workplace_id: number
  readonly plan_digest: string | null
  /** What the ledger says about it besides. */
  readonly about?: object
}

/** Adds an effort to a task. */
export async function addEffort(tx: Tx, added: Added, call: Call): Promise<Effort> {
  const { task_id, ordinal, skill, mode, metadata, agent_id, workplace_id, request, plan_digest, about } =
    added
  const row = await insertEffort(tx, {
    task_id,
    skill,
    mode: mode ?? null,
    ordinal,
    metadata: toJson(metadata),
    agent_id: null,
    workplace_id,
    request: request ?? null,
    plan_digest,
    now: call.now,
  })
  if (row === undefined) throw new Error('The effort was not stored.')
  await call.record(tx, {
    event_type: 'effort.started',
    skill,
    effort_id: row.id,
    ...(agent_id !== undefined && { agent_id }),
    payload: { task_id, ordinal, ...about },
  })
  return toEffort(row)
}

/** The caller overrides the heartbeat of the skill, and the skill overrides the caller's type of task. */
function metadataOf({ metadata }: Wanted, details: SkillDetails | undefined): Wanted['metadata'] {
  const { heartbeat, task_type: taskType } = details ?? {}
  const known = {
    ...(heartbeat != null && { heartbeat }),
    ...metadata,
    ...(taskType != null && { taskType }),
  }
  return Object.keys(known).length === 0 ? undefined : known
}

/** How an effort ends. */
export interface Closing {
  readonly effort_id: number
  readonly keywords?: string | undefined
  readonly description?: string | undefined
  readonly outcome?: 'completed' | 'abandoned' | undefined
  /** Why it was abandoned. */
  readonly reason?: string | undefined
  /** What it ends with. */
  readonly result?: unknown
}

/** Finishes an active effort, and only this one. */
export async function endEffort(tx: Tx, wanted: Closing, call: Call): Promise<Effort> {
  const effort = await activeEffort(tx, wanted.effort_id, 'finished')
  const owner = await findOwner(tx, { effort_id: effort.id })
  if (owner !== undefined) await setAgentEffort(tx, { id: owner.id, effort_id: null })
  await addKeywords(tx, effort.task_id, wanted.keywords)
  const { description } = wanted
  if (description !== undefined) {
    const metadata = toJson({ ...effort.metadata, description })
    await describeEffort(tx, call.context.store.volatile, { id: effort.id, mode: null, metadata })
  }
  // A span ends with its effort.
  await completeSpans(tx, await openSpansOfEffort(tx, { effort_id: effort.id }), {}, call)
  // Its sessions are then watched for other things.
  const { outcome = 'completed', reason, result } = wanted
  const ends = { id: effort.id, now: call.now, result: toJson(result) }
  const row = await finishEffort(tx, call.context.store.volatile, ends)
  const entered = (await historyOf(tx, effort.id)).map(({ phase_label }) => phase_label)
  const { phases, plan, progress: before, recorded, digest } = await followedBy(tx, effort)
  // What was started and owes nothing ends with its effort, unless that is given up.
  const isEnded = plan !== undefined && outcome === 'completed'
  const ended = isEnded ? endAll(plan, before, { recorded, proof: provenIn(recorded) }).progress : before
  const progress = ended.status === 'completed' ? ended : before
  if (progress !== before) await storeProgress(tx, { effort_id: effort.id, digest }, { progress }, call)
  await call.record(tx, {
    event_type: 'effort.finished',
    skill: effort.skill,
    phase: effort.current_phase ?? '',
    effort_id: effort.id,
    ...(owner !== undefined && { agent_id: owner.id }),
    payload: {
      outcome,
      ...(reason !== undefined && { reason }),
      phases_not_entered: phasesNotEntered(phases, entered),
      steps_left: plan === undefined ? [] : stepsLeft(plan, progress).map(({ id }) => id),
      ...(description !== undefined && { description }),
      ...(result !== undefined && { result }),
    },
  })
  return { ...effort, ...(row && toEffort(row)) }
}

/** Adds search keywords to a task; none given removes none. */
export async function addKeywords(tx: Tx, taskId: string, added: string | undefined): Promise<void> {
  const task = await lockTask(tx, { dir_path: taskId })
  const merged = mergeKeywords(task?.keywords ?? null, added)
  if (merged !== task?.keywords) await setKeywords(tx, { dir_path: taskId, keywords: merged })
}
