import * as z from 'zod'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { listed } from '../../model/text/line.ts'
import { nearest } from '../../model/text/nearest.ts'
import { advance } from '../../model/plan/advance.ts'
import { isPhaseLabel, splitPhase } from '../../model/plan/phase.ts'
import { go, stuckAt } from '../../model/plan/moves.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { runbookCommand } from '../../model/runbook/hand.ts'
import { type Approval, insertApproval, openApprovals } from '../../store/approval.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { lastCalled } from '../../store/span.ts'
import { type Call, method } from '../call/method.ts'
import { afterMove } from '../effort/after-move.ts'
import { activeEffort } from '../effort/ownership.ts'
import * as p from '../call/params.ts'
import { followedBy } from '../plan/plan.ts'
import { approvalFor, storeProgress } from '../plan/progress.ts'
import { andReturn } from '../session/come-back.ts'

export const approve = method({
  name: 'db.effort.approve',
  summary: 'Record that the user allows a phase or step out of order, or waives a field of proof, once.',
  effect: 'durable',
  params: z.strictObject({
    effort_id: p.id,
    subject: p.name.describe('The label of the phase, the id of the step or the name of the field.'),
    reason: p.reason,
    native_id: p.caller.native_id,
  }),
  async run(tx, { effort_id, subject, reason }, call) {
    const effort = await activeEffort(tx, effort_id, 'approved for')
    const { plan, progress, digest, recorded } = await followedBy(tx, effort)
    const found = subjectOf(plan, subject)
    if (found === undefined) throw nothingSuch(effort, plan, subject)
    const resumed =
      plan === undefined || found.step === undefined || progress.status !== 'parked'
        ? undefined
        : advance(plan, progress, { kind: 'resume', step: found.step })
    // A blocked plan continues at the step, so the approval is used up at once.
    if (plan !== undefined && resumed?.ok === true) {
      await storeProgress(tx, { effort_id, digest }, { progress: resumed.progress }, call)
      const moved = { effort, plan, before: progress, progress: resumed.progress }
      await andReturn(tx, effort_id, call, () => afterMove(tx, moved, call))
      await resumeCalled(tx, { effort, step: plan && stepOf(plan, found.step ?? ''), reason }, call)
    }
    const given = { effort, subject: found, reason, isUsed: resumed?.ok === true }
    const approval = await give(tx, given, call)
    const next = wayOn(effort_id, plan, given.isUsed)
    if (plan === undefined || found.step === undefined || given.isUsed)
      return { ...approval, still_owed: [], next }
    // The order can be approved, the proof of the current step only field by field.
    const planned = go(plan, progress, found.step, { recorded, proof: {} })
    const waived = await openApprovals(tx, { effort_id, kind: 'proof' })
    const isOwed = (field: string) => waived.every((one) => one.subject !== field)
    return { ...approval, still_owed: planned.owed?.proof.filter(isOwed) ?? [], next }
  },
})

/** How a parked plan goes on; a runbook hands out what the user allowed. */
function wayOn(effortId: number, plan: Plan | undefined, isUsed: boolean): readonly string[] {
  if (plan?.runbook !== undefined) return [runbookCommand('next', effortId)]
  return isUsed ? [showCommand(effortId)] : []
}

async function give(
  tx: Tx,
  about: {
    readonly effort: Effort
    readonly subject: Pick<Approval, 'kind' | 'subject'>
    readonly reason: string
    readonly isUsed: boolean
  },
  call: Call,
): Promise<Approval> {
  const {
    effort: { id: effort_id, skill },
    subject: { kind, subject },
    reason,
    isUsed,
  } = about
  const times = { created_at: call.now, used_at: isUsed ? call.now : null }
  const approval = await insertApproval(tx, { effort_id, kind, subject, reason, ...times })
  if (approval === undefined) throw new Error('The approval was not stored.')
  await call.record(tx, {
    event_type: 'approval.given',
    skill,
    phase: subject,
    effort_id,
    payload: { approval_id: approval.id, kind, reason },
  })
  return approval
}

/** A step that is tried again calls its skill again, so the parked work of that skill goes on too. */
async function resumeCalled(
  tx: Tx,
  about: { readonly effort: Effort; readonly step: Step | undefined; readonly reason: string },
  call: Call,
): Promise<void> {
  const { effort: caller, step, reason } = about
  if (step?.runs?.kind !== 'skill') return
  const found = await lastCalled(tx, { effort_id: caller.id, skill: step.runs.name, since: '' })
  const row = found?.effort_id == null ? undefined : await findEffort(tx, { id: found.effort_id })
  if (row?.lifecycle !== 'active') return
  const effort = toEffort(row)
  const { plan, progress, digest } = await followedBy(tx, effort)
  const [stuck, ...others] = plan === undefined ? [] : stuckAt(plan, progress)
  // Where there is a choice, the user chooses.
  if (plan === undefined || stuck === undefined || others.length > 0) return
  const resumed = advance(plan, progress, { kind: 'resume', step: stuck.id })
  if (!resumed.ok) return
  await storeProgress(tx, { effort_id: effort.id, digest }, { progress: resumed.progress }, call)
  await give(tx, { effort, subject: approvalFor(plan, stuck), reason, isUsed: true }, call)
  await resumeCalled(tx, { effort, step: stuck, reason }, call)
}

const ROOM = 1200

type Subject = Pick<Approval, 'kind' | 'subject'> & { readonly step?: string }

function subjectOf(plan: Plan | undefined, subject: string): Subject | undefined {
  const isPhase = plan?.notation === 'phases'
  const wanted = isPhase ? splitPhase(subject).label : subject
  const step = plan?.steps.find(({ id, label }) => id === wanted || label === wanted)
  if (step === undefined)
    return plan?.steps.some(({ proof }) => proof.includes(subject)) === true
      ? { kind: 'proof', subject }
      : undefined
  return plan === undefined ? undefined : { ...approvalFor(plan, step), step: step.id }
}

function nothingSuch({ id, skill }: Effort, plan: Plan | undefined, subject: string): EngineError {
  const known = plan?.steps.map((step) => step.id) ?? []
  // Phase labels are too short for a useful suggestion.
  const [meant] = isPhaseLabel(subject) ? [] : nearest(subject, known)
  const message =
    plan === undefined
      ? `Skill ${skill} has no plan, so there is nothing to approve.`
      : `The plan of ${skill} has no ${JSON.stringify(subject)}${meant === undefined ? '.' : `; did you mean ${meant}?`} It has: ${listed(known, ROOM)}.`
  return new EngineError('not-found', message, { field: 'subject', hint: `holdfast effort show ${id}` })
}
