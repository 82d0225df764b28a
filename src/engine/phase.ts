import * as z from 'zod'
import type { Effort } from '../model/effort.ts'
import { EngineError } from '../model/error.ts'
import { formOf, phaseCommand } from '../model/next-action.ts'
import { splitPhase } from '../model/phase.ts'
import { enterPhase, judgePhase, type PhaseVerdict } from '../model/phase-judge.ts'
import { insertApproval } from '../store/approval.ts'
import { setPhase } from '../store/effort.ts'
import { toJson } from '../store/json.ts'
import { insertPhase } from '../store/phase.ts'
import type { Tx } from '../store/query.ts'
import { type Call, method } from './method.ts'
import { activeEffort } from './ownership.ts'
import * as p from './params.ts'
import { followedBy, whatNext } from './plan.ts'
import { storeProgress, useApproval } from './progress.ts'
import { resetHeartbeats } from './session-window.ts'

export const phase = method({
  name: 'db.effort.phase',
  summary: 'Enter a phase, in order and with the proof of the phase that is left.',
  effect: 'durable',
  params: z.strictObject({
    effort_id: p.id,
    label: p.name.describe('The phase, as `3.A` or `3.A: Build Loop`.'),
    proof: p.object.optional().describe('What the phase that is left must show, by the names of its fields.'),
    reason: p.reason.optional(),
  }),
  async run(tx, params, call) {
    const effort = await activeEffort(tx, params.effort_id, 'moved through phases')
    const followed = await followedBy(tx, effort)
    const { plan, progress, digest } = followed
    const proof = params.proof ?? {}
    const wish = { plan, progress, current: effort.current_phase, requested: params.label }
    const verdict = judgePhase({ ...wish, proof })
    if (verdict.kind === 'same')
      return { ...effort, entered: false, ...whatNext(followed, effort.current_phase) }
    if (verdict.kind === 'unknown') throw refusal(effort, { label: params.label, proof }, verdict)
    if (verdict.kind === 'refuse') {
      const { phase: subject, missing } = verdict
      const reason = await approvedBy(tx, { effort, subject, reason: params.reason }, call)
      if (reason === undefined) throw refusal(effort, { label: params.label, proof }, verdict)
      await call.record(tx, {
        event_type: 'phase.skipped',
        skill: effort.skill,
        phase: subject,
        effort_id: effort.id,
        payload: { from: effort.current_phase, reason, proof_missing: missing },
      })
    }
    const moved = enterPhase(wish, true)
    const { label: step } = splitPhase(verdict.phase)
    if (moved !== undefined)
      await storeProgress(tx, { effortId: effort.id, digest }, { step, progress: moved }, call)
    const entered = await enter(tx, { effort, phase: verdict.phase, proof: params.proof }, call)
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

/** Why the user allows it: said now, or in an approval that waits to be used. */
async function approvedBy(
  tx: Tx,
  escape: { effort: Effort; subject: string; reason: string | undefined },
  call: Call,
): Promise<string | undefined> {
  const { effort, subject, reason } = escape
  if (reason === undefined)
    return (await useApproval(tx, { effortId: effort.id, kind: 'phase', subject }, call))?.reason
  const times = { created_at: call.now, used_at: call.now }
  await insertApproval(tx, { effort_id: effort.id, kind: 'phase', subject, reason, ...times })
  return reason
}

type Refused = Extract<PhaseVerdict, { kind: 'refuse' }>
type Proof = Readonly<Record<string, unknown>>

function refusal(
  effort: Effort,
  wish: { readonly label: string; readonly proof: Proof },
  verdict: Extract<PhaseVerdict, { message: string }>,
): EngineError {
  const isRefused = verdict.kind === 'refuse'
  const isElsewhere = isRefused && !verdict.allowed.includes(verdict.phase)
  const message = `${verdict.message}${isElsewhere ? ' The user may allow it with --reason.' : ''}`
  return new EngineError(isRefused ? 'refused' : 'not-found', message, {
    field: isRefused && verdict.missing.length > 0 ? 'proof' : 'label',
    hint: isRefused ? commandThatPasses(effort, verdict, wish.proof) : `holdfast effort get ${effort.id}`,
    record: {
      event_type: 'phase.refused',
      skill: effort.skill,
      phase: wish.label,
      effort_id: effort.id,
      payload: { from: effort.current_phase, reason: message },
    },
  })
}

/** The nearest move that the plan allows from here, with the form of the proof that it asks for. */
function commandThatPasses(
  effort: Effort,
  { phase: wanted, allowed, missing }: Refused,
  proof: Proof,
): string {
  const target = allowed.includes(wanted) ? wanted : allowed[0]
  if (target === undefined) return `holdfast effort finish ${effort.id}`
  return phaseCommand(effort.id, target, { ...proof, ...formOf(missing) })
}
