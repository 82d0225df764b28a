import * as z from 'zod'
import { isAdHoc } from '../../model/effort.ts'
import { adHocEffort, effortNotFound } from '../../model/error.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import {
  checkVerified,
  isReportable,
  isReported,
  meantToEnter,
  meantToLeave,
  prepareEntry,
  prepareLeaving,
} from '../effort/step-report.ts'
import { enterStep, leaveStep } from '../effort/step-run.ts'
import { type Mover, moverOf, standingOf, withPlan } from '../effort/mover.ts'
import { withEvidence } from '../plan/phase-move.ts'
import { followedBy } from '../plan/plan.ts'
import { keepValues, setVariables } from '../plan/progress.ts'
import { digestsOfEffort, type SeenFiles } from '../plan/recorded.ts'

const effortId = { effort_id: p.id }
const proof = p.object.optional().describe('The proof fields of the step being left, by name.')

export const show = method({
  name: 'step.show',
  summary: 'Show where an effort stands in its plan, and what ends the current step.',
  effect: 'read',
  params: z.strictObject(effortId),
  prepare: digestsOfEffort,
  async run(tx, { effort_id }, { prepared }) {
    const row = await findEffort(tx, { id: effort_id })
    if (row === undefined) throw effortNotFound(effort_id)
    const effort = toEffort(row)
    if (isAdHoc(effort)) throw adHocEffort(effort_id, 'moved through steps', effort.task_id)
    return standingOf(withPlan(effort, await followedBy(tx, effort, prepared)))
  },
})

export const enter = method({
  name: 'step.enter',
  summary: 'Start a step. The current step ends with it, if it owes nothing.',
  effect: 'durable',
  params: z.strictObject({
    ...effortId,
    step: p.name.optional().describe('The id or label of the step. Default: the only one that may follow.'),
    proof,
    reason: p.reason.optional(),
  }),
  prepare: prepareEntry,
  async run(tx, { effort_id, step: word, proof: said = {}, reason }, call) {
    const { files, text } = call.prepared
    const found = await moverOf(tx, effort_id, files, said)
    await keepValues(tx, found, call)
    const { mover, step } = meantToEnter(found, word)
    const given = await proofGiven(tx, mover, said, files)
    const entered = await enterStep(tx, mover, { step, proof: given, reason }, call)
    const shown = standingOf(entered.mover, { isResumed: !entered.entered, advice: entered.advice })
    return {
      ...shown,
      entered: entered.entered,
      step: step.id,
      text: text?.step === step.id ? text.text : null,
    }
  },
})

export const leave = method({
  name: 'step.leave',
  summary: 'End a step with an outcome: ok, fail, skip or another outcome of the plan.',
  effect: 'durable',
  params: z.strictObject({
    ...effortId,
    step: p.name.optional().describe('The id or label of the step. Default: the current one.'),
    outcome: p.name.default('ok'),
    proof,
    verified: p.textUpTo(20_000).optional().describe('What shows that the condition of the step is met.'),
    reason: p.words(2000).optional().describe('Why it failed or was skipped.'),
    set: z
      .record(p.name, p.textUpTo(2000))
      .optional()
      .describe('Values of variables, for the guards and commands of later steps.'),
  }),
  prepare: prepareLeaving,
  async run(tx, { effort_id, step: word, outcome, proof: said = {}, verified, reason, set }, call) {
    const { files, isThere } = call.prepared
    if (set !== undefined) await setVariables(tx, { effort_id, set }, call)
    const mover = await moverOf(tx, effort_id, files, said)
    const step = meantToLeave(mover, word)
    if (isReported(mover, step, outcome)) return standingOf(mover)
    if (outcome === 'ok' && isReportable(mover, step)) checkVerified(mover, step, { verified, isThere })
    await keepValues(tx, mover, call)
    const given = await proofGiven(tx, mover, said, files)
    const payload = {
      ...(verified !== undefined && { verified }),
      ...(reason !== undefined && { reason }),
      ...(set !== undefined && { set }),
    }
    const leaving = { step, outcome, proof: given, payload, starts: true }
    return standingOf(await leaveStep(tx, mover, leaving, files, call), { isResumed: false })
  },
})

/** Recorded evidence replaces claims where the plan demands it. */
async function proofGiven(tx: Tx, { effort, plan }: Mover, said: Proof, files: SeenFiles): Promise<Proof> {
  return (await withEvidence(tx, { effort, demands: plan.demands, said }, files)).proof
}

type Proof = Readonly<Record<string, unknown>>
