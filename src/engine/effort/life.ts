import type { Effort } from '../../model/effort.ts'
import { taskNotFound } from '../../model/error.ts'
import { provenIn } from '../../model/plan/evidence.ts'
import { endAll, stepsLeft } from '../../model/plan/moves.ts'
import { phasesNotEntered } from '../../model/plan/phase.ts'
import type { SkillDetails } from '../../model/skill.ts'
import { mergeKeywords } from '../../model/task.ts'
import { findOwner, setAgentEffort } from '../../store/agent.ts'
import { describeEffort, finishEffort, insertEffort, lockEffort, toEffort } from '../../store/effort.ts'
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
}

/** Starts an effort, for a caller or for a skill that a client runs. */
export async function startEffort(tx: Tx, wanted: Wanted, call: Call): Promise<Effort> {
  const { task_id: taskId, skill, agent_id: agentId } = wanted
  // Checked first, because a refusal must not name an effort that is rolled back.
  if (agentId !== undefined) await idleAgent(tx, { agent_id: agentId, skill })
  const counter = await nextOrdinal(tx, { dir_path: taskId })
  if (counter === undefined) throw taskNotFound(taskId)
  const place = await workplaceOfTask(tx, { dir_path: taskId })
  if (place === undefined) throw new Error('The task has no workplace.')
  const { workplace_id = place.workplace_id } = wanted
  const definition = await findSkill(tx, { workplace_id, name: skill })
  const details = definition === undefined ? undefined : toEntry(definition).details
  const plan = await planAtStart(tx, { workplace_id, skill, level: place.level }, call)
  const row = await insertEffort(tx, {
    task_id: taskId,
    skill,
    mode: wanted.mode ?? null,
    ordinal: counter.last_ordinal,
    metadata: toJson(metadataOf(wanted, details ?? undefined)),
    agent_id: null,
    workplace_id,
    request: wanted.request ?? null,
    plan_digest: plan.plan_digest,
    now: call.now,
  })
  if (row === undefined) throw new Error('The effort was not stored.')
  call.context.skillFolders.want(place.root)
  await call.record(tx, {
    event_type: 'effort.started',
    skill: row.skill,
    effort_id: row.id,
    ...(agentId !== undefined && { agent_id: agentId }),
    payload: { task_id: taskId, ordinal: row.ordinal },
  })
  await holdAtStart(tx, toEffort(row), plan, call)
  if (agentId === undefined) return toEffort(row)
  await claimEffort(tx, { agent_id: agentId, effort_id: row.id }, call)
  return { ...toEffort(row), agent_id: agentId }
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

/** Finishes an effort; a finished effort stays unchanged. */
export async function closeEffort(
  tx: Tx,
  wanted: {
    readonly effort_id: number
    readonly keywords?: string | undefined
    readonly description?: string | undefined
    readonly outcome?: 'completed' | 'abandoned' | undefined
    /** Why it was abandoned. */
    readonly reason?: string | undefined
  },
  call: Call,
): Promise<Effort> {
  const known = await lockEffort(tx, { id: wanted.effort_id })
  if (known?.lifecycle === 'finished') return toEffort(known)
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
  const row = await finishEffort(tx, call.context.store.volatile, { id: effort.id, now: call.now })
  const entered = (await historyOf(tx, effort.id)).map(({ phase_label }) => phase_label)
  const { phases, plan, progress: before, recorded, digest } = await followedBy(tx, effort)
  const { outcome = 'completed', reason } = wanted
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
