import type { EngineError } from '../../model/error.ts'
import { awaited, type Progress } from '../../model/plan/advance.ts'
import { missingProof } from '../../model/plan/phase.ts'
import { conditionOf, fileIn } from '../../model/plan/pipeline.ts'
import { checkOf, isPipeline, type Step } from '../../model/plan/plan.ts'
import type { Effort } from '../../model/effort.ts'
import { nameOf, showCommand, stepCommand } from '../../model/plan/next-action.ts'
import { quoted } from '../../model/text/line.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative, toSession } from '../../store/session.ts'
import { listVisits } from '../../store/step.ts'
import type { Context } from '../call/context.ts'
import { checkCalled } from './called-by.ts'
import { type Mover, standingOf, stepNamed } from './mover.ts'
import { refusedStep } from './refused-step.ts'
import { threadOf } from './thread.ts'

/** A caller that lost the reply may repeat its report. */
export const isReported = (
  { progress, plan, recorded }: Mover,
  { id, produces }: Step,
  outcome: string,
): boolean =>
  !progress.current.includes(id) &&
  progress.visits[id]?.outcome === outcome &&
  // A loop or a failure opens a step again, and another failure counts as another try.
  !progress.open.includes(id) &&
  // Artifacts whose files changed are claimed again.
  (plan.gate === 'visited' || produces.every((name) => recorded.good.has(name)))

/** True if a report can end a step; for any other the plan has a better reason to refuse. */
export const isReportable = ({ plan, progress, isAdvice }: Mover, step: Step): boolean =>
  isAdvice ||
  !isPipeline(plan) ||
  (progress.current.includes(step.id) && awaited(step, progress.visits[step.id]) === 0)

/** Refuses a report that does not show the condition of its step. */
export function checkVerified(
  mover: Mover,
  step: Step,
  { verified, isThere }: { readonly verified: string | undefined; readonly isThere: boolean },
): void {
  const why = unverified(mover.effort, step, { verified, isThere })
  if (why !== undefined) throw refusedReport(mover, step, why)
}

/** True if the command that checks a report must still run. */
export const awaitsCheck = (
  { progress, isAdvice }: Mover,
  step: Step,
  { outcome, token }: { readonly outcome: string; readonly token: string | undefined },
): boolean =>
  outcome === 'ok' &&
  token === undefined &&
  !isAdvice &&
  checkOf(step) !== undefined &&
  progress.current.includes(step.id)

/** A check that fails refuses the report, and is no attempt. */
export function checkPassed(
  mover: Mover,
  step: Step,
  {
    outcome,
    token,
    reason,
  }: { readonly outcome: string; readonly token: string | undefined; readonly reason: string | undefined },
): void {
  if (token === undefined || outcome !== 'fail' || checkOf(step) === undefined) return
  const condition = conditionOf(step, mover.effort.task_id) ?? ''
  throw refusedReport(
    mover,
    step,
    `Step ${quoted(step.label)} is done when ${condition}. ${reason ?? ''}`.trim(),
  )
}

/** Refuses a report by a caller that cannot run the command that checks it. */
export function checkUnchecked(mover: Mover, step: Step): void {
  if (!awaitsCheck(mover, step, { outcome: 'ok', token: undefined })) return
  throw refusedReport(
    mover,
    step,
    `A command checks whether step ${quoted(step.label)} is done; holdfast step done runs it.`,
  )
}

function refusedReport(mover: Mover, step: Step, reason: string): EngineError {
  const { effort } = mover
  const hint = standingOf(mover).offer?.report.done ?? showCommand(effort.id)
  return refusedStep(effort, { step: step.id, rule: 'pipeline', reason, field: 'verified', hint })
}

/** Refuses to start a step if that would end one that only its report ends. */
export async function checkLeft(
  tx: Tx,
  before: Mover,
  progress: Progress,
  native_id: string | undefined,
): Promise<void> {
  const isLeft = (id: string) => !progress.current.includes(id) && progress.visits[id]?.outcome === 'ok'
  for (const id of before.isAdvice ? [] : before.progress.current.filter(isLeft)) {
    const step = stepNamed(before, id)
    await checkCalled(tx, before, step, native_id)
    const condition = conditionOf(step, before.effort.task_id)
    if (condition === undefined) continue
    const why = `Step ${quoted(step.label)} is done when ${condition}, and only its report ends it.`
    throw refusedReport(before, step, why)
  }
}

function unverified(
  effort: Effort,
  { id, verify }: Step,
  { verified, isThere }: { readonly verified: string | undefined; readonly isThere: boolean },
): string | undefined {
  if (verify === undefined) return undefined
  // Its command says so.
  if (verify.kind === 'command') return undefined
  if (verify.kind === 'file')
    return isThere
      ? undefined
      : `Step ${id} is done when the file ${fileIn(effort.task_id, verify.path)} exists; it is missing or empty.`
  return missingProof(['verified'], { verified }).length === 0
    ? undefined
    : `Step ${id} is done when ${verify.condition}; report what shows that.`
}

/** Refuses a report without a name in the tool call whose earlier report began the step: nobody has done it yet. */
export async function checkNotTwice(
  tx: Tx,
  { effort, plan }: Mover,
  step: Step,
  native_id: string | undefined,
  context: Context,
): Promise<void> {
  const { asker } = await threadOf(tx, { native_id }, context)
  const row =
    asker.native_id === undefined ? undefined : await findOpenByNative(tx, { native_id: asker.native_id })
  if (row === undefined) return
  const { open_calls: calls } = context.store.volatile.overlay(toSession(row))
  const call = calls.findLast(({ what }) => what.includes('step done'))
  const visits = await listVisits(tx, { effort_id: effort.id })
  const begun = visits.find((visit) => visit.step === step.id)?.started_at
  if (call === undefined || begun === undefined || call.at >= begun) return
  // A report ends one step and starts the next at the same time.
  if (!visits.some(({ completed_at }) => completed_at === begun)) return
  const reason = `Step ${quoted(step.label)} began in this very call, when the step before it was reported. Do it, then report it by its name.`
  const hint = stepCommand('done', effort.id, nameOf(plan, step))
  throw refusedStep(effort, { step: step.id, rule: 'plan', reason, field: 'step', hint })
}
