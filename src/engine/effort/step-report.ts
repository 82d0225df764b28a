import type { EngineError } from '../../model/error.ts'
import { remarksOn } from '../../model/plan/action-words.ts'
import { awaited, type Progress } from '../../model/plan/advance.ts'
import { following } from '../../model/plan/moves.ts'
import { missingProof, splitPhase } from '../../model/plan/phase.ts'
import { withPhase } from '../../model/plan/phase-judge.ts'
import { conditionOf, fileIn } from '../../model/plan/pipeline.ts'
import { isPipeline, type Step, stepOf } from '../../model/plan/plan.ts'
import { valuesToEnter } from '../../model/plan/plan-for.ts'
import type { Effort } from '../../model/effort.ts'
import { nameOf, stepCommand } from '../../model/plan/next-action.ts'
import { isBlank, quoted } from '../../model/text/line.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative, toSession } from '../../store/session.ts'
import { listVisits } from '../../store/step.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { followedBy } from '../plan/plan.ts'
import { appliedSkill, coversOfEffort, seenOf } from '../plan/recorded.ts'
import { fileAt, textOf, unlessRefused } from '../skill/directive-files.ts'
import { checkCalled } from './called-by.ts'
import { entryOf, type Mover, standingOf, stepNamed, withPlan } from './mover.ts'
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

/** The named step, which may be a sub-phase of the effort's own; else the only one that follows. */
export function meantToEnter(
  mover: Mover,
  word: string | undefined,
): { readonly mover: Mover; readonly step: Step } {
  const { plan, progress, effort } = mover
  if (word !== undefined && plan.notation === 'phases') {
    const from = effort.current_phase === null ? undefined : splitPhase(effort.current_phase).label
    const joined = { ...mover, plan: withPhase(plan, from, splitPhase(word)) ?? plan }
    return { mover: joined, step: stepNamed(joined, word) }
  }
  if (word !== undefined) return { mover, step: stepNamed(mover, word) }
  const [current] = progress.current
  const [approved, ...others] = mover.approved
  const allowed = others.length === 0 && approved !== undefined ? stepOf(plan, approved) : undefined
  const next = allowed ?? following(plan, progress) ?? entryOf(mover)
  const step = current === undefined ? next : stepNamed(mover, current)
  if (step !== undefined) return { mover, step }
  throw chooseOne(mover, progress.open)
}

/** The named step, else the current one, else the only one that follows; a skip means an optional one. */
export function meantToLeave(mover: Mover, word: string | undefined, outcome = 'ok'): Step {
  if (word !== undefined) return stepNamed(mover, word)
  const { current: begun, open } = mover.progress
  const isOptional = (id: string) => stepOf(mover.plan, id)?.optional === true
  const [optional, ...more] = begun.some(isOptional) ? begun.filter(isOptional) : open.filter(isOptional)
  if (outcome === 'skip' && optional !== undefined && more.length === 0) return stepNamed(mover, optional)
  const [current, ...others] = mover.progress.current
  if (others.length > 0) throw chooseOne(mover, mover.progress.current)
  const step = current === undefined ? following(mover.plan, mover.progress) : stepNamed(mover, current)
  if (step === undefined) throw chooseOne(mover, mover.progress.open)
  return step
}

function chooseOne(mover: Mover, ids: readonly string[]): EngineError {
  const names = ids.map((id) => stepNamed(mover, id).label)
  const { effort } = mover
  const { next, status, reason: parked } = standingOf(mover)
  const reason =
    status === 'parked'
      ? `The plan is parked. ${parked ?? ''}`.trim()
      : status === 'completed'
        ? `Every required step is done. Optional: ${names.join(', ')}.`
        : names.length === 0
          ? 'No step can be meant now.'
          : `Name the step: ${names.join(' or ')}.`
  const hint = next[0] ?? `holdfast step --effort ${effort.id}`
  const message = [reason, ...remarksOn([hint])].join(' ')
  return refusedStep(effort, {
    step: '',
    rule: 'plan',
    reason,
    message,
    field: 'step',
    hint,
    code: 'conflict',
  })
}

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

function refusedReport(mover: Mover, step: Step, reason: string): EngineError {
  const { effort } = mover
  const hint = standingOf(mover).offer?.report.done ?? `holdfast step --effort ${effort.id}`
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

interface Wish {
  readonly effort_id: number
  readonly step?: string | undefined
  readonly outcome?: string | undefined
  readonly proof?: Readonly<Record<string, unknown>> | undefined
}

/** Reads the text of a step that is a file, to show it to the caller. */
export async function prepareEntry(context: Context, wish: Wish, ask: Ask) {
  const { found, ...covered } = await ask(async (tx) => ({
    ...(await coversOfEffort(tx, wish.effort_id)),
    found: await stepFile(tx, wish),
  }))
  const path =
    found === undefined ? undefined : await fileAt(context, { root: found.folder, path: found.path })
  const isThere = found !== undefined && path !== undefined
  const text = isThere
    ? { step: found.step, text: await textOf(context, { root: found.folder, path }) }
    : undefined
  return { files: await seenOf(context, covered), text }
}

async function stepFile(tx: Tx, { effort_id, step: word, proof = {} }: Wish) {
  const row = await findEffort(tx, { id: effort_id })
  if (row === undefined || row.lifecycle === 'finished') return undefined
  const effort = toEffort(row)
  const before = await followedBy(tx, effort)
  const followed = await followedBy(tx, effort, undefined, valuesToEnter(before, word, proof))
  const { plan } = followed
  if (plan?.notation !== 'steps' || isPipeline(plan)) return undefined
  const { skill } = await appliedSkill(tx, effort)
  const { step } = meantToEnter(withPlan(effort, followed), word)
  return skill?.folder == null ? undefined : { step: step.id, path: step.place.file, folder: skill.folder }
}

/** Whether the file that a step must produce exists and is not blank; checked before the transaction. */
export async function prepareLeaving(context: Context, wish: Wish, ask: Ask) {
  const { file, ...covered } = await ask(async (tx) => ({
    ...(await coversOfEffort(tx, wish.effort_id)),
    file: await fileToVerify(tx, wish),
  }))
  const path = file && (await fileAt(context, file))
  return {
    files: await seenOf(context, covered),
    isThere: file !== undefined && path !== undefined && (await hasText(context, { ...file, path })),
  }
}

/** The beginning is enough: what is longer has content. */
async function hasText({ files }: Context, file: { readonly root: string; readonly path: string }) {
  const read = await unlessRefused(files.read({ ...file, offset: 0, limit: ENOUGH }))
  return read !== undefined && (read.next_offset !== null || !isBlank(read.content))
}

const ENOUGH = 65_536

async function fileToVerify(tx: Tx, { effort_id, step: word, outcome }: Wish) {
  const row = await findEffort(tx, { id: effort_id })
  if (row === undefined) return undefined
  const effort = toEffort(row)
  const followed = await followedBy(tx, effort)
  const place = await placeOfEffort(tx, effort)
  if (followed.plan === undefined || place === undefined) return undefined
  const { verify } = meantToLeave(withPlan(effort, followed), word, outcome)
  if (verify?.kind !== 'file') return undefined
  return { root: place.root, path: fileIn(effort.task_id, verify.path) }
}
