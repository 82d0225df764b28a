import { advance, type Progress } from '../../model/plan/advance.ts'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import type { Recorded } from '../../model/plan/evidence.ts'
import { nextActions } from '../../model/plan/next-action.ts'
import { nextStep, type Offer, offerOf, type StepState, stepStates } from '../../model/plan/pipeline.ts'
import { isPipeline, type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { shellWord } from '../../model/shell/word.ts'
import { openApprovals } from '../../store/approval.ts'
import type { Tx } from '../../store/query.ts'
import { closeEffort } from './life.ts'
import type { Call } from '../call/method.ts'
import { activeEffort } from './ownership.ts'
import { followedBy } from '../plan/plan.ts'
import { storeProgress, useApproval } from '../plan/progress.ts'

/** An effort that runs a pipeline, with its progress. */
export interface Pipeline {
  readonly effort: Effort
  readonly plan: Plan
  readonly progress: Progress
  readonly recorded: Recorded
  readonly digest: string | null
}

/** The state of a pipeline, as returned after every move. */
export interface PipelineState {
  readonly effort_id: number
  readonly skill: string
  readonly status: 'running' | 'completed' | 'blocked'
  readonly reason: string | null
  readonly steps: readonly {
    readonly step: string
    readonly state: StepState
    readonly attempts: number
    readonly limit: number | null
  }[]
  readonly next: readonly string[]
}

/** Undefined if the skill of the effort has no pipeline. */
export async function asPipeline(tx: Tx, effort: Effort): Promise<Pipeline | undefined> {
  const { plan, ...state } = await followedBy(tx, effort)
  return plan === undefined || !isPipeline(plan) ? undefined : { ...state, effort, plan }
}

/** Locks an active pipeline, so that concurrent reports run one after the other. */
export async function activePipeline(tx: Tx, id: number): Promise<Pipeline> {
  const effort = await activeEffort(tx, id, 'run as a pipeline')
  const pipeline = await asPipeline(tx, effort)
  if (pipeline === undefined) throw noPipeline(effort.skill)
  return pipeline
}

export const noPipeline = (skill: string) =>
  new EngineError('conflict', `Skill ${skill} has no pipeline that can run.`, {
    field: 'skill',
    hint: `holdfast skill show ${shellWord(skill)}`,
  })

export function describe(pipeline: Pipeline): PipelineState {
  const { effort, plan, progress } = pipeline
  const { status, reason, visits } = progress
  return {
    effort_id: effort.id,
    skill: effort.skill,
    status: status === 'parked' ? 'blocked' : status,
    reason: reason ?? null,
    steps: stepStates(plan, progress).map(({ step, state }) => ({
      step: step.id,
      state,
      attempts: visits[step.id]?.attempts ?? 0,
      limit: step.limit ?? null,
    })),
    next: nextActions(effort, pipeline),
  }
}

/** Starts the next step, or repeats the one that was started: *started* never counts as *completed*. */
export async function goOn(
  tx: Tx,
  pipeline: Pipeline,
  call: Call,
): Promise<PipelineState & { offer: Offer | null }> {
  const { effort, plan, progress } = pipeline
  const found = nextStep(plan, progress)
  if (found?.isBegun === true)
    return { ...describe(pipeline), offer: offerIn(pipeline, found.step, { resumed: true }) }
  const approved = await approvedStep(tx, pipeline)
  const step = approved ?? found?.step
  if (step === undefined) return { ...describe(pipeline), offer: null }
  const entered = advance(plan, progress, { kind: 'enter', step: step.id, approved: approved !== undefined })
  if (!entered.ok) throw new Error(entered.why)
  const approval =
    approved === undefined
      ? undefined
      : await useApproval(tx, { effortId: effort.id, kind: 'step', subject: step.id }, call)
  const now = await moved(tx, pipeline, { begun: step.id, progress: entered.progress }, call)
  const offer = offerIn(now, step, { resumed: false })
  await call.record(tx, {
    event_type: 'step.started',
    skill: effort.skill,
    phase: step.id,
    effort_id: effort.id,
    payload: {
      attempt: offer.attempt,
      ...(approval !== undefined && { approval_id: approval.id, reason: approval.reason }),
    },
  })
  return { ...describe(now), offer }
}

function offerIn(
  { effort, plan, progress }: Pipeline,
  step: Step,
  { resumed }: { readonly resumed: boolean },
): Offer {
  const attempt = progress.visits[step.id]?.attempts ?? 1
  return offerOf(plan, step, {
    effortId: effort.id,
    args: effort.request ?? '',
    attempt,
    resumed,
  })
}

/** A step that the user approved out of order. */
async function approvedStep(tx: Tx, { effort, plan }: Pipeline): Promise<Step | undefined> {
  for (const { subject } of await openApprovals(tx, { effort_id: effort.id, kind: 'step' })) {
    const step = stepOf(plan, subject)
    if (step !== undefined) return step
  }
  return undefined
}

async function moved(
  tx: Tx,
  pipeline: Pipeline,
  move: { readonly progress: Progress; readonly begun?: string },
  call: Call,
): Promise<Pipeline> {
  const { effort, digest } = pipeline
  await storeProgress(tx, { effort_id: effort.id, digest }, move, call)
  return { ...pipeline, progress: move.progress }
}

/** Records how a step ended. A repeated report changes nothing. */
export async function leaveStep(
  tx: Tx,
  pipeline: Pipeline,
  report: {
    readonly step: Step
    readonly outcome: 'ok' | 'skip' | 'fail'
    readonly payload: Readonly<Record<string, unknown>>
  },
  call: Call,
): Promise<PipelineState> {
  const { effort, plan, progress } = pipeline
  const { step, outcome, payload } = report
  const left = advance(plan, progress, { kind: 'leave', step: step.id, outcome })
  if (!left.ok) throw refused(effort, step, { why: left.why, hint: `holdfast pipeline next ${effort.id}` })
  const now = await moved(tx, pipeline, { progress: left.progress }, call)
  const about = { skill: effort.skill, phase: step.id, effort_id: effort.id }
  await call.record(tx, {
    event_type: outcome === 'fail' ? 'step.failed' : 'step.completed',
    ...about,
    payload: { outcome, attempt: progress.visits[step.id]?.attempts ?? 1, ...payload },
  })
  const { status, reason } = now.progress
  if (status === 'parked') await call.record(tx, { event_type: 'plan.parked', ...about, payload: { reason } })
  if (status !== 'completed') return describe(now)
  return describe({ ...now, effort: await closeEffort(tx, { effort_id: effort.id }, call) })
}

/** Whether a step already ended with one of these outcomes and was not restarted. */
export const isReported = ({ progress }: Pipeline, { id }: Step, outcomes: readonly string[]): boolean =>
  !progress.current.includes(id) && outcomes.includes(progress.visits[id]?.outcome ?? '')

/** The error for a refused report; the ledger records it. */
export const refused = (
  effort: Effort,
  step: Pick<Step, 'id'>,
  { why, hint, field = 'step' }: { readonly why: string; readonly hint: string; readonly field?: string },
) =>
  new EngineError('refused', why, {
    field,
    hint,
    record: {
      event_type: 'step.refused',
      skill: effort.skill,
      phase: step.id,
      effort_id: effort.id,
      payload: { rule: 'pipeline', reason: why },
    },
  })
