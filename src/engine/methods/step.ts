import * as z from 'zod'
import { isAdHoc } from '../../model/effort.ts'
import { adHocEffort, effortNotFound, EngineError } from '../../model/error.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { valuesToEnter, valuesToLeave } from '../../model/plan/plan-for.ts'
import { quoted } from '../../model/text/line.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { newestSessionOf } from '../../store/session.ts'
import { listVisits } from '../../store/step.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { checkCalled, nextInCaller } from '../effort/called-by.ts'
import { endingOf } from '../effort/ending.ts'
import { afterVisit, checkBeginning, checkSaid, checkState, outcomeMeant } from '../effort/step-said.ts'
import { viewOfStep } from '../effort/step-view.ts'
import { whoseItIs } from '../effort/holder.ts'
import { isKeptOpen, openWork, openWorkTexts, tickCommand } from '../effort/open-work.ts'
import { prepareEntry, prepareLeaving } from '../effort/step-files.ts'
import { meantToEnter, meantToLeave } from '../effort/step-meant.ts'
import { checkOwnCommand } from '../effort/runbook-report.ts'
import {
  awaitsCheck,
  checkNotTwice,
  checkPassed,
  checkVerified,
  isReportable,
  isReported,
} from '../effort/step-report.ts'
import { takeResult } from '../effort/step-command.ts'
import { enterStep } from '../effort/step-enter.ts'
import { type Mover, moverOf, type Standing, standingOf, withPlan } from '../effort/mover.ts'
import { withEvidence } from '../plan/proof.ts'
import { followedBy } from '../plan/plan.ts'
import { digestsOfEffort, type SeenFiles } from '../plan/recorded.ts'
import { leaveAndReturn } from '../session/come-back.ts'
import { reportChild } from '../session/report-child.ts'
import { waitingEdit } from '../skill/plan-edits.ts'
import { checkSet, keepValues, noteFound } from '../plan/values.ts'

const effortId = { effort_id: p.id }
const proof = p.object.optional().describe('The proof fields of the step being left, by name.')

export const show = method({
  name: 'step.show',
  summary: 'Show where an effort stands in its plan, and what ends the current step.',
  effect: 'read',
  params: z.strictObject({ ...effortId, ...p.caller }),
  prepare: digestsOfEffort,
  async run(tx, { effort_id, ...who }, { prepared, context }) {
    const row = await findEffort(tx, { id: effort_id })
    if (row === undefined) throw effortNotFound(effort_id)
    const effort = toEffort(row)
    if (isAdHoc(effort)) throw adHocEffort(effort_id, 'moved through steps', effort.task_id)
    const mover = withPlan(effort, await followedBy(tx, effort, prepared))
    const told = await toldOf(tx, mover, prepared, { isResumed: await isResumed(tx, mover) })
    const held = await whoseItIs(tx, effort, who, context)
    return { ...told, plan_edit: await waitingEdit(tx, effort), held: held?.message ?? null }
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
    ...p.caller,
  }),
  prepare: prepareEntry,
  async run(tx, { step: word, proof: said = {}, reason, ...who }, call) {
    const { files, text } = call.prepared
    const before = await moverOf(tx, who, call.context, files)
    checkBeginning(before)
    const values = valuesToEnter(before, word, said)
    const found = await keepValues(tx, before, { values, files }, call)
    const { mover, step } = meantToEnter(found, word)
    if (reason === undefined) checkOwnCommand(mover, step)
    const given = await proofGiven(tx, mover, said, files)
    const { native_id } = who
    const entered = await enterStep(tx, mover, { step, proof: given, reason, native_id }, call)
    const shown = standingOf(entered.mover, { isResumed: !entered.entered, advice: entered.advice })
    return {
      ...shown,
      view: await viewOfStep(tx, entered.mover),
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
    outcome: p.name.optional().describe('Default: what the values of the step decide, else ok.'),
    visit: p.id
      .optional()
      .describe('Which visit of the step the call is about; one that has ended moves nothing.'),
    child: p.id.optional().describe('Reports one sub-agent of the step, by its number: ok or fail.'),
    proof,
    token: p.name
      .optional()
      .describe('The token of step.run, if the step is a command and this is its result.'),
    verified: p.textUpTo(20_000).optional().describe('What shows that the condition of the step is met.'),
    reason: p.words(2000).optional().describe('Why it failed or was skipped.'),
    set: z
      .record(p.name, p.textUpTo(2000))
      .optional()
      .describe('Values of variables, for the guards and commands of later steps.'),
    ...p.caller,
  }),
  prepare: prepareLeaving,
  async run(tx, { step: word, outcome: asked, proof: said = {}, ...given }, call) {
    const { files, isThere } = call.prepared
    const { verified, reason, set = {}, visit, token, child, ...who } = given
    const { effort_id } = who
    if (child !== undefined) {
      const report = { ...who, step: word, visit, child, outcome: reportedAs(who, asked), reason, set }
      const { mover, isPast } = await reportChild(tx, report, files, call)
      return await toldOf(tx, mover, files, { isPast })
    }
    const past = await afterVisit(tx, { effort_id, step: word, visit }, files)
    if (past !== undefined) return await toldOf(tx, past, files, { isPast: true })
    const before = await moverOf(tx, who, call.context, files)
    const step = meantToLeave(before, word, asked)
    checkOwnCommand(before, step, asked === 'fail' ? 'error' : 'done')
    if (word === undefined) await checkNotTwice(tx, before, step, who.native_id, call.context)
    await takeResult(tx, before, { step, token })
    if (token === undefined) await checkSet(tx, { ...before, step, set })
    checkState(before, set)
    const shown = valuesToLeave(before, [step.id], said)
    checkState(before, shown, 'proof')
    const values = { ...shown, ...set }
    const saying = { ...before, values: { ...before.values, ...values }, said: set }
    const outcome = outcomeMeant(saying, step, asked)
    if (isReported(before, step, outcome)) return await toldOf(tx, before, files)
    if (outcome === 'ok') await checkCalled(tx, before, step, who.native_id)
    if (outcome === 'ok' && isReportable(before, step)) checkVerified(before, step, { verified, isThere })
    if (awaitsCheck(before, step, { outcome, token }))
      return await toldOf(tx, before, files, { isChecked: true })
    checkPassed(before, step, { outcome, token, reason })
    if (token !== undefined) await noteFound(tx, { effort_id, set }, call)
    const mover = await keepValues(tx, before, { values, files }, call)
    checkSaid({ ...mover, said: set }, step, outcome)
    const proved = await proofGiven(tx, mover, said, files)
    const payload = {
      ...(verified !== undefined && { verified }),
      ...(reason !== undefined && { reason }),
      ...(Object.keys(set).length > 0 && { set }),
    }
    const leaving = { step, outcome, proof: proved, payload, starts: true }
    const left = await leaveAndReturn(tx, mover, leaving, files, call)
    return await toldOf(tx, left, files, { isResumed: false })
  },
})

function reportedAs({ effort_id }: { readonly effort_id: number }, said = 'ok'): 'ok' | 'fail' {
  if (said === 'ok' || said === 'fail') return said
  const message = `A sub-agent ends with ok or fail, not with ${quoted(said)}.`
  throw new EngineError('invalid', message, { field: 'outcome', hint: showCommand(effort_id) })
}

/** A finished effort names what follows in the work that called its skill; one that cannot end yet, why. */
async function toldOf(
  tx: Tx,
  mover: Mover,
  files: SeenFiles,
  how: Parameters<typeof standingOf>[1] = {},
): Promise<Standing> {
  const standing = { ...standingOf(mover, how), view: await viewOfStep(tx, mover) }
  if (standing.status === 'completed') {
    const work = await openWork(tx, mover.effort, files)
    if (!isKeptOpen(work, mover.isAdvice)) return standing
    const tick = tickCommand(standing.effort_id, work)
    const [finishing, ...others] = standing.next
    const next = [tick ?? finishing ?? [], others].flat()
    return { ...standing, open: openWorkTexts(work), next }
  }
  if (standing.status !== 'finished') return standing
  return {
    ...standing,
    finished: await endingOf(tx, mover.effort),
    next: await nextInCaller(tx, mover.effort),
  }
}

/** A session that began after the started step does not know what was done of it. */
async function isResumed(tx: Tx, { effort, progress }: Mover): Promise<boolean> {
  const [step] = progress.current
  const session = step === undefined ? undefined : await newestSessionOf(tx, { effort_id: effort.id })
  if (session === undefined) return false
  const visit = (await listVisits(tx, { effort_id: effort.id })).find((row) => row.step === step)
  return visit !== undefined && visit.started_at < session.created_at
}

/** Recorded evidence replaces claims where the plan demands it. */
async function proofGiven(tx: Tx, { effort, plan }: Mover, said: Proof, files: SeenFiles): Promise<Proof> {
  return (await withEvidence(tx, { effort, demands: plan.demands, said }, files)).proof
}

type Proof = Readonly<Record<string, unknown>>
