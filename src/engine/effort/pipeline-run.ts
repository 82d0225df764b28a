import { EngineError } from '../../model/error.ts'
import { nextStep, type StepState } from '../../model/plan/pipeline.ts'
import { isPipeline, stepOf } from '../../model/plan/plan.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { approvedSteps } from '../plan/progress.ts'
import { enterStep } from './step-enter.ts'
import { type Mover, moverOf, type Standing, standingOf } from './mover.ts'

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
  readonly failures: readonly string[]
  readonly next: readonly string[]
  readonly optional: readonly string[]
}

/** Rejects an effort whose skill has no pipeline. */
export function asPipeline(mover: Mover): Mover {
  if (isPipeline(mover.plan)) return mover
  throw noPipeline(mover.effort.skill)
}

/** Locks an active pipeline, so that concurrent reports run one after the other. */
export const activePipeline = async (...given: Parameters<typeof moverOf>): Promise<Mover> =>
  asPipeline(await moverOf(...given))

export const noPipeline = (skill: string) =>
  new EngineError('conflict', `Skill ${skill} has no pipeline that can run.`, {
    field: 'skill',
    hint: `holdfast skill show ${shellWord(skill)}`,
  })

export function describe(pipeline: Mover): PipelineState {
  const { effort_id, skill, reason, steps, failures, next, optional } = standingOf(pipeline)
  const { status } = pipeline.progress
  return {
    effort_id,
    skill,
    status: status === 'parked' ? 'blocked' : status,
    reason,
    steps: steps.map(({ step, state, attempts, limit }) => ({ step, state, attempts, limit })),
    failures,
    next,
    optional,
  }
}

/** Starts the next step, or repeats the one that was started: *started* never counts as *completed*. */
export async function goOn(
  tx: Tx,
  pipeline: Mover,
  call: Call,
): Promise<PipelineState & Pick<Standing, 'offer'>> {
  const { plan, progress, effort } = pipeline
  const found = nextStep(plan, progress)
  if (found?.isBegun === true) return { ...describe(pipeline), offer: standingOf(pipeline).offer }
  const step = stepOf(plan, (await approvedSteps(tx, effort.id, plan))[0] ?? '') ?? found?.step
  if (step === undefined) return { ...describe(pipeline), offer: null }
  const { mover } = await enterStep(tx, pipeline, { step, proof: {} }, call)
  return { ...describe(mover), offer: standingOf(mover, { isResumed: false }).offer }
}
