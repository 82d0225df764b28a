import * as z from 'zod'
import type { Effort } from '../model/effort.ts'
import { EngineError } from '../model/error.ts'
import { judgePhase, type PhaseVerdict } from '../model/phase.ts'
import { setPhase } from '../store/effort.ts'
import { toJson } from '../store/json.ts'
import { insertApproval, insertPhase } from '../store/phase.ts'
import type { Tx } from '../store/query.ts'
import { flushSessions, openSessionsOf, resetHeartbeat } from '../store/session.ts'
import { type Call, method } from './method.ts'
import { activeEffort } from './ownership.ts'
import * as p from './params.ts'
import { phasesOf, whatNext } from './plan.ts'

export const phase = method({
  name: 'db.effort.phase',
  summary: 'Enter a phase, in order and with the proof of the phase that is left.',
  effect: 'durable',
  params: z.strictObject({
    effort_id: p.id,
    label: p.name.describe('The phase, as `3.A` or `3.A: Build Loop`.'),
    proof: p.object.optional(),
    reason: p.reason.optional(),
  }),
  async run(tx, params, call) {
    const effort = await activeEffort(tx, params.effort_id, 'moved through phases')
    const phases = await phasesOf(tx, effort)
    const proof = params.proof ?? {}
    const verdict = judgePhase({ phases, current: effort.current_phase, requested: params.label, proof })
    if (verdict.kind === 'same')
      return { ...effort, entered: false, ...whatNext(phases, effort.current_phase) }
    if (verdict.kind === 'unknown') throw refusal(effort, params.label, verdict)
    if (verdict.kind === 'refuse' && params.reason === undefined) throw refusal(effort, params.label, verdict)
    if (verdict.kind === 'refuse' && params.reason !== undefined)
      await approve(
        tx,
        { effort, phase: verdict.phase, missing: verdict.missing, reason: params.reason },
        call,
      )
    const entered = await enter(tx, { effort, phase: verdict.phase, proof: params.proof }, call)
    return { ...entered, entered: true, ...whatNext(phases, verdict.phase) }
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
  for (const { id } of await openSessionsOf(tx, { effort_id: effort.id })) {
    await flushSessions(tx, call.context.store.volatile.take(tx, id).sessions)
    await resetHeartbeat(tx, { id, now: call.now })
  }
  await call.record(tx, {
    event_type: 'phase.entered',
    skill: effort.skill,
    phase: label,
    effort_id: effort.id,
    payload: { from: effort.current_phase, ...(proof !== undefined && { proof }) },
  })
  return { ...effort, current_phase: label }
}

async function approve(
  tx: Tx,
  escape: { effort: Effort; phase: string; missing: readonly string[]; reason: string },
  call: Call,
): Promise<void> {
  const { effort, phase: label, missing, reason } = escape
  await insertApproval(tx, { effort_id: effort.id, kind: 'phase', subject: label, reason, now: call.now })
  await call.record(tx, {
    event_type: 'phase.skipped',
    skill: effort.skill,
    phase: label,
    effort_id: effort.id,
    payload: { from: effort.current_phase, reason, proof_missing: missing },
  })
}

function refusal(
  effort: Effort,
  label: string,
  verdict: Extract<PhaseVerdict, { message: string }>,
): EngineError {
  const hint =
    verdict.kind === 'unknown' ? `holdfast effort get ${effort.id}` : commandThatPasses(effort, verdict)
  return new EngineError(verdict.kind === 'unknown' ? 'not-found' : 'refused', verdict.message, {
    field: verdict.kind === 'refuse' && verdict.missing.length > 0 ? 'proof' : 'label',
    hint,
    record: {
      event_type: 'phase.refused',
      skill: effort.skill,
      phase: label,
      effort_id: effort.id,
      payload: { from: effort.current_phase, reason: verdict.message },
    },
  })
}

/** The nearest move that the plan allows from here, with the form of the proof that it asks for. */
function commandThatPasses(effort: Effort, verdict: Extract<PhaseVerdict, { kind: 'refuse' }>): string {
  const { phase: wanted, allowed, missing } = verdict
  const target = allowed.includes(wanted) ? wanted : allowed[0]
  if (target === undefined) return `holdfast effort finish ${effort.id}`
  const proof = missing.length === 0 ? '' : ` --proof '${proofForm(missing)}'`
  const command = `holdfast effort phase ${effort.id} ${JSON.stringify(target)}${proof}`
  return target === wanted ? command : `${command}, or --reason "why the user allows the other"`
}

const proofForm = (fields: readonly string[]) =>
  JSON.stringify(Object.fromEntries(fields.map((field) => [field, '...'])))
