import * as z from 'zod'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { phaseText, splitPhase } from '../../model/plan/phase.ts'
import { withPhase } from '../../model/plan/phase-judge.ts'
import { type PhaseRefusal, refusalOf, verdictOn } from '../../model/plan/phase-refusal.ts'
import { valuesToEnter } from '../../model/plan/plan-for.ts'
import type { Tx } from '../../store/query.ts'
import { type Call, method } from '../call/method.ts'
import { effortToChange } from '../effort/holder.ts'
import { checkBeginning } from '../effort/step-said.ts'
import { prepareEntry } from '../effort/step-files.ts'
import { enterStep } from '../effort/step-enter.ts'
import { keepPhase } from '../effort/step-move.ts'
import { stepNamed, withPlan } from '../effort/mover.ts'
import * as p from '../call/params.ts'
import { withEvidence } from '../plan/proof.ts'
import { followedBy, whatNext } from '../plan/plan.ts'
import { keepValues } from '../plan/values.ts'

export const phase = method({
  name: 'db.effort.phase',
  summary: 'Enter the next phase of an effort, with the proof of the phase it leaves.',
  effect: 'durable',
  params: z.strictObject({
    effort_id: p.id,
    label: p.name.describe('The phase label, such as `3.A` or `3.A: Build Loop`.'),
    proof: p.object.optional().describe('The proof fields of the phase being left, by name.'),
    reason: p.reason.optional(),
    ...p.caller,
  }),
  prepare: (context, { effort_id, label: step, proof }, ask) =>
    prepareEntry(context, { effort_id, step, proof }, ask),
  async run(tx, params, call) {
    const { files, text } = call.prepared
    const { effort_id, agent_id, native_id, proof: said = {} } = params
    const who = { effort_id, agent_id, native_id }
    const effort = await effortToChange(tx, who, 'moved through phases', call.context)
    const before = { ...(await followedBy(tx, effort, files)), effort }
    const values = valuesToEnter(before, params.label, said)
    const followed = await keepValues(tx, before, { values, files }, call)
    const { plan, progress } = followed
    const asked = { effort, demands: plan?.demands, said }
    const { proof, stale } = await withEvidence(tx, asked, files)
    if (plan === undefined || plan.steps.length === 0) return await freely(tx, { effort, ...params }, call)
    const from = effort.current_phase === null ? undefined : splitPhase(effort.current_phase).label
    const isPhases = plan.notation === 'phases'
    const joined = isPhases ? (withPhase(plan, from, splitPhase(params.label)) ?? plan) : plan
    const mover = withPlan(effort, { ...followed, plan: joined })
    checkBeginning(mover)
    const move = {
      effort,
      plan,
      progress,
      label: params.label,
      proof,
      stale,
      approvedSteps: followed.approved,
    }
    const verdict = isPhases ? verdictOn(move) : undefined
    if (verdict?.kind === 'unknown') throw refused(effort, refusalOf(move, verdict), params.label)
    const entering = { step: stepNamed(mover, params.label), proof, reason: params.reason, native_id }
    const entered = await enterStep(tx, mover, entering, call).catch((error: unknown) => {
      if (verdict?.kind !== 'refuse' || !isRefusal(error)) throw error
      throw refused(effort, refusalOf(move, verdict), params.label)
    })
    const { effort: now } = entered.mover
    return {
      ...now,
      entered: entered.entered,
      ...whatNext(entered.mover, now.current_phase),
      text: text?.step === entering.step.id ? text.text : null,
    }
  },
})

const isRefusal = (error: unknown): boolean => error instanceof EngineError && error.code === 'refused'

/** Without a plan, an effort may name its phases as it likes. */
async function freely(
  tx: Tx,
  {
    effort,
    label,
    proof,
  }: { readonly effort: Effort; readonly label: string; readonly proof?: object | undefined },
  call: Call,
) {
  const asked = splitPhase(label)
  if (asked.label === '')
    throw new EngineError('not-found', 'A phase needs a label, such as "3.A: Build".', { field: 'label' })
  const nothing = { next_phases: [], proof_to_leave: [] }
  if (effort.current_phase !== null && splitPhase(effort.current_phase).label === asked.label)
    return { ...effort, entered: false, ...nothing }
  const entered = await keepPhase(tx, { effort, phase: phaseText(asked), proof }, call)
  return { ...entered, entered: true, ...nothing }
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
