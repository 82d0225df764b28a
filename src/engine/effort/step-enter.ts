import { advance } from '../../model/plan/advance.ts'
import { go, isBack, type Moved } from '../../model/plan/moves.ts'
import { isPrinted, type Step, stepOf } from '../../model/plan/plan.ts'
import { quoted } from '../../model/text/line.ts'
import { insertApproval } from '../../store/approval.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { approvalFor, storeProgress, useApproval, useWaivers } from '../plan/progress.ts'
import type { Mover } from './mover.ts'
import { refusedMove } from './refused-move.ts'
import { forget, moveTo, type Proof } from './step-move.ts'
import { checkLeft } from './step-report.ts'

interface Entering {
  readonly step: Step
  readonly proof: Proof
  /** Why the user allows it against the order of the plan. */
  readonly reason?: string | undefined
  /** The client's session that asks for it. */
  readonly native_id?: string | undefined
}

/** Enters a step; the current steps that owe nothing end with it. */
export async function enterStep(
  tx: Tx,
  mover: Mover,
  { step, proof, reason, native_id }: Entering,
  call: Call,
): Promise<{ readonly mover: Mover; readonly entered: boolean; readonly advice: string | null }> {
  const { plan, progress, recorded } = mover
  if (progress.current.includes(step.id))
    return { mover: await readOn(tx, mover, step, call), entered: false, advice: null }
  const given = { recorded, proof }
  const planned = unlessPrinted(mover, go(plan, progress, step.id, given))
  // Going back claims no success.
  const claims = !progress.current.some((id) => isBack(plan, id, step.id))
  const isOwed = !planned.ok && owesProof(planned) && claims
  const approval = planned.ok ? undefined : await approvalOf(tx, mover, { step, reason, isOwed }, call)
  const isAllowed = approval !== undefined || mover.isAdvice
  const moved = planned.ok || !isAllowed ? planned : forced(mover, step, given, claims)
  if (!moved.ok) throw refusedMove(mover, step, moved, proof)
  await checkLeft(tx, mover, moved.progress, native_id)
  await useWaivers(tx, mover, { after: moved.progress, proof }, call)
  const attempt = moved.progress.visits[step.id]?.attempts ?? 1
  const fresh = attempt > 1 ? await forget(tx, mover, step) : mover
  const about = { attempt, ...(approval !== undefined && { reason: approval.reason }) }
  const move = { before: progress, begun: step, proof, about }
  const next = await moveTo(tx, { ...fresh, progress: moved.progress }, move, call)
  return { mover: next, entered: true, advice: planned.ok ? null : planned.why }
}

/** A step of a workflow or runbook ends by the command that is printed with it, not by the start of another one. */
function unlessPrinted({ plan, progress }: Mover, moved: Moved): Moved {
  const [current] = progress.current
  const step = current === undefined ? undefined : stepOf(plan, current)
  const isReported = isPrinted(plan) || plan.runbook !== undefined
  if (!moved.ok || !isReported || step === undefined) return moved
  const why = `Step ${quoted(step.label)} has started, and only the command that it prints ends it.`
  return { ok: false, why, missing: [] }
}

/** The user's word stands for reading, too, but never for what must be shown. */
const owesProof = ({ owed }: Moved): boolean =>
  owed !== undefined && (owed.artifacts.length > 0 || owed.proof.length > 0 || owed.reports > 0)

/** The whole text is shown with the answer, so a step that was read in part counts as read. */
async function readOn(tx: Tx, mover: Mover, step: Step, call: Call): Promise<Mover> {
  const { plan, progress, effort, digest } = mover
  const read = advance(plan, progress, { kind: 'read', step: step.id })
  if (!read.ok || read.progress === progress) return mover
  await storeProgress(tx, { effort_id: effort.id, digest }, { progress: read.progress }, call)
  await call.record(tx, {
    event_type: 'step.visited',
    skill: effort.skill,
    phase: step.id,
    effort_id: effort.id,
    payload: {},
  })
  return { ...mover, progress: read.progress }
}

/** A move that the user or a modest plan allows; what was started is left. */
function forced(
  { plan, progress }: Mover,
  step: Step,
  given: Parameters<typeof go>[3],
  claims: boolean,
): Moved {
  if (!claims) return go(plan, progress, step.id, given, true)
  const everything = Object.fromEntries(
    plan.steps.flatMap(({ proof }) => proof.map((field) => [field, true])),
  )
  return go(plan, progress, step.id, { ...given, proof: { ...everything, ...given.proof } }, true)
}

/** The user's word on a step out of order; proof is never waived. */
async function approvalOf(
  tx: Tx,
  { effort, plan }: Mover,
  {
    step,
    reason,
    isOwed,
  }: { readonly step: Step; readonly reason: string | undefined; readonly isOwed: boolean },
  call: Call,
) {
  if (isOwed) return undefined
  const about = approvalFor(plan, step)
  const times = { created_at: call.now, used_at: call.now }
  const approval =
    reason === undefined
      ? await useApproval(tx, { effortId: effort.id, ...about }, call)
      : await insertApproval(tx, { effort_id: effort.id, ...about, reason, ...times })
  if (approval !== undefined && about.kind === 'phase')
    await call.record(tx, {
      event_type: 'phase.skipped',
      skill: effort.skill,
      phase: about.subject,
      effort_id: effort.id,
      payload: { from: effort.current_phase, reason: approval.reason },
    })
  return approval
}
