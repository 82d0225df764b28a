import * as z from 'zod'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { splitPhase } from '../../model/plan/phase.ts'
import { enterPhase } from '../../model/plan/phase-judge.ts'
import { type PhaseRefusal, refusalOf, verdictOn } from '../../model/plan/phase-refusal.ts'
import { insertApproval } from '../../store/approval.ts'
import { setPhase } from '../../store/effort.ts'
import { toJson } from '../../store/json.ts'
import { insertPhase } from '../../store/phase.ts'
import type { Tx } from '../../store/query.ts'
import { type Call, method } from '../call/method.ts'
import { activeEffort } from '../effort/ownership.ts'
import * as p from '../call/params.ts'
import { withEvidence } from '../plan/phase-move.ts'
import { followedBy, whatNext } from '../plan/plan.ts'
import { storeProgress, useApproval } from '../plan/progress.ts'
import { digestsOfEffort } from '../plan/recorded.ts'
import { resetHeartbeats } from '../session/session-window.ts'

export const phase = method({
  name: 'db.effort.phase',
  summary: 'Enter the next phase of an effort, with the proof of the phase it leaves.',
  effect: 'durable',
  params: z.strictObject({
    effort_id: p.id,
    label: p.name.describe('The phase label, such as `3.A` or `3.A: Build Loop`.'),
    proof: p.object.optional().describe('The proof fields of the phase being left, by name.'),
    reason: p.reason.optional(),
  }),
  prepare: digestsOfEffort,
  async run(tx, params, call) {
    const effort = await activeEffort(tx, params.effort_id, 'moved through phases')
    const followed = await followedBy(tx, effort, call.prepared)
    const { plan, progress, digest } = followed
    const asked = { effort, demands: plan?.demands, said: params.proof ?? {} }
    const { proof, stale } = await withEvidence(tx, asked, call.prepared)
    const move = { effort, plan, progress, label: params.label, proof, stale }
    const verdict = verdictOn(move)
    if (verdict.kind === 'same')
      return { ...effort, entered: false, ...whatNext(followed, effort.current_phase) }
    if (verdict.kind === 'unknown') throw refused(effort, refusalOf(move, verdict), params.label)
    if (verdict.kind === 'refuse') {
      const escape = { effort, subject: verdict.phase, missing: verdict.missing, reason: params.reason }
      if (!(await isApproved(tx, escape, call))) throw refused(effort, refusalOf(move, verdict), params.label)
    }
    const moved = enterPhase({ plan, progress, current: effort.current_phase, requested: params.label }, true)
    const { label: begun } = splitPhase(verdict.phase)
    if (moved !== undefined)
      await storeProgress(tx, { effort_id: effort.id, digest }, { progress: moved, begun }, call)
    const shown = Object.keys(proof).length === 0 ? params.proof : proof
    const entered = await enter(tx, { effort, phase: verdict.phase, proof: shown }, call)
    return { ...entered, entered: true, ...whatNext(followed, verdict.phase) }
  },
})

async function enter(
  tx: Tx,
  move: { effort: Effort; phase: string; proof: unknown },
  call: Call,
): Promise<Effort> {
  const { effort, phase: label, proof } = move
  await setPhase(tx, { id: effort.id, phase: label })
  await insertPhase(tx, { effort_id: effort.id, phase_label: label, proof: toJson(proof), now: call.now })
  await resetHeartbeats(tx, effort.id, call)
  await call.record(tx, {
    event_type: 'phase.entered',
    skill: effort.skill,
    phase: label,
    effort_id: effort.id,
    payload: { from: effort.current_phase, ...(proof !== undefined && { proof }) },
  })
  return { ...effort, current_phase: label }
}

/** Whether the user allows it, by a reason given now or by an unused approval. */
async function isApproved(
  tx: Tx,
  escape: { effort: Effort; subject: string; missing: readonly string[]; reason: string | undefined },
  call: Call,
): Promise<boolean> {
  const { effort, subject, missing, reason } = escape
  const about = { kind: 'phase', subject } as const
  const times = { created_at: call.now, used_at: call.now }
  const approval =
    reason === undefined
      ? await useApproval(tx, { effortId: effort.id, ...about }, call)
      : await insertApproval(tx, { effort_id: effort.id, ...about, reason, ...times })
  if (approval === undefined) return false
  await call.record(tx, {
    event_type: 'phase.skipped',
    skill: effort.skill,
    phase: subject,
    effort_id: effort.id,
    payload: { from: effort.current_phase, reason: approval.reason, proof_missing: missing },
  })
  return true
}

function refused(effort: Effort, { kind, message, hint, missing }: PhaseRefusal, label: string): EngineError {
  return new EngineError(kind === 'unknown' ? 'not-found' : 'refused', message, {
    field: missing.length > 0 ? 'proof' : 'label',
    hint,
    record: {
      event_type: 'phase.refused',
      skill: effort.skill,
      phase: label,
      effort_id: effort.id,
      payload: { from: effort.current_phase, reason: message },
    },
  })
}
