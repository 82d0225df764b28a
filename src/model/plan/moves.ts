import { advance, type Advance, awaited, type Progress } from './advance.ts'
import { isDone } from './inputs.ts'
import type { Recorded } from './evidence.ts'
import { quoted } from '../text/line.ts'
import { isByArtifacts, ledSteps } from './mixed.ts'
import { targetsFor } from './opening.ts'
import { missingProof } from './phase.ts'
import { isBrought, type Plan, type Step, stepOf } from './plan.ts'

/** What a caller brings to a move: the records of the effort and the proof that it gives. */
export interface Given {
  readonly recorded: Recorded
  readonly proof: Readonly<Record<string, unknown>>
}

/** What a step owes before it can be left as done. */
export interface Owed {
  readonly step: Step
  /** Set if its file was not shown, or only in part. */
  readonly isUnread: boolean
  readonly artifacts: readonly string[]
  readonly proof: readonly string[]
  /** How many of its sub-agents must still succeed. */
  readonly reports: number
}

/** What a step of a pipeline owes: only its report. */
export const NOTHING_OWED: Pick<Owed, 'artifacts' | 'proof'> = { artifacts: [], proof: [] }

/** A move with what was owed, if that refused it. */
export type Moved = Advance & { readonly owed?: Owed }

/** What a step owes now, before it can end as done. */
export function owedFor(plan: Plan, progress: Progress, step: Step, { recorded, proof }: Given): Owed {
  const visit = progress.visits[step.id]
  const isBegun = progress.current.includes(step.id)
  return {
    step,
    isUnread: isOwnToRead(plan, step) && (!isBegun || visit?.partly === true),
    artifacts:
      plan.gate === 'visited'
        ? []
        : step.produces.filter((name) => !isBrought(plan, name) && !recorded.good.has(name)),
    proof: missingProof(step.proof, proof),
    // Reports of an earlier try do not count.
    reports: awaited(step, isBegun ? visit : undefined),
  }
}

/** Sub-agents read what they are given. */
const isOwnToRead = ({ notation }: Plan, { runs, dispatch }: Step): boolean =>
  notation === 'steps' && runs === undefined && dispatch === undefined

const owesNothing = ({ isUnread, artifacts, proof, reports }: Owed): boolean =>
  !isUnread && artifacts.length === 0 && proof.length === 0 && reports === 0

/**
 * Ends a step with an outcome. Only success must be shown. Two steps need not be entered: one to skip, and one that was
 * tried before and fails again.
 */
export function end(
  plan: Plan,
  progress: Progress,
  {
    step: id,
    outcome,
    reason,
    asksUser,
  }: {
    readonly step: string
    readonly outcome: string
    readonly reason?: string | undefined
    readonly asksUser?: boolean | undefined
  },
  given: Given,
): Moved {
  const step = stepOf(plan, id)
  const isBegun = progress.current.includes(id)
  if (step === undefined) return advance(plan, progress, { kind: 'leave', step: id, outcome })
  const isTriedAgain = outcome === 'fail' && Object.hasOwn(progress.visits, id)
  const entersFirst = outcome === 'skip' || isTriedAgain
  if (!isBegun && step.runs !== undefined && !entersFirst)
    return advance(plan, progress, { kind: 'leave', step: id, outcome })
  const entered = isBegun
    ? { ok: true as const, progress }
    : advance(plan, progress, { kind: 'enter', step: id })
  if (!entered.ok) return entered
  const owed = owedFor(plan, progress, step, given)
  const mayStart = isBegun || owed.isUnread || owed.reports > 0
  if (outcome === 'ok' && mayStart && !owesNothing(owed))
    return { ok: false, why: owedText(owed), missing: [...owed.artifacts, ...owed.proof], owed }
  const from = entersFirst ? entered.progress : progress
  return advance(plan, from, { kind: 'leave', step: id, outcome, reason, asksUser })
}

/** Counts the report of a sub-agent; success ends the step if it owes nothing else. */
export function report(
  plan: Plan,
  progress: Progress,
  move: { readonly step: string; readonly outcome: 'ok' | 'fail'; readonly reason?: string | undefined },
  given: Given,
): Advance {
  const step = stepOf(plan, move.step)
  const stays =
    step !== undefined &&
    (step.verify !== undefined || !owesNothing({ ...owedFor(plan, progress, step, given), reports: 0 }))
  return advance(plan, progress, { kind: 'report', ...move, stays })
}

/** Goes to a step: leaves the current steps that owe nothing, by the outcome that leads there. */
export function go(plan: Plan, progress: Progress, id: string, given: Given, approved = false): Moved {
  if (progress.current.includes(id)) return { ok: true, progress }
  let now = progress
  let owed: Owed | undefined
  for (const current of progress.current) {
    const step = stepOf(plan, current)
    if (step === undefined) continue
    const outcome = namedOutcome(step, id) ?? outcomeByLimit(plan, now, { step, id }) ?? 'ok'
    const left = end(plan, now, { step: current, outcome }, given)
    if (left.ok) now = left.progress
    else if (approved && isBack(plan, current, id) && !isByArtifacts(plan)) now = putDown(now, current)
    else owed ??= left.owed
  }
  const entered = advance(plan, now, { kind: 'enter', step: id, approved })
  if (entered.ok || owed === undefined) return entered
  const { label, limit = Infinity } = stepOf(plan, id) ?? owed.step
  const isSpent = (progress.visits[id]?.attempts ?? 0) >= limit
  const why = isSpent
    ? entered.why
    : `Step ${quoted(label)} is not next: ${owedText(owed).replace(/^S/, 's')}`
  return { ...entered, why, missing: [...entered.missing, ...owed.artifacts, ...owed.proof], owed }
}

/** A step that is left for an earlier one and owes something is not done. */
const putDown = (progress: Progress, id: string): Progress => ({
  ...progress,
  current: progress.current.filter((one) => one !== id),
})

/** True if a step comes before another one. */
export function isBack({ steps }: Plan, from: string, to: string): boolean {
  const placeOf = (id: string) => steps.findIndex((step) => step.id === id)
  return placeOf(to) < placeOf(from)
}

/** True if only a report says how a step ended: it is neither a file that was read nor a phase that is left. */
const isReported = ({ notation }: Plan, { runs }: Step): boolean =>
  runs !== undefined || (notation !== 'steps' && notation !== 'phases')

/** The progress once every started step that owes nothing has ended well; what the first other one owes. */
export function endAll(
  plan: Plan,
  progress: Progress,
  given: Given,
): { readonly progress: Progress; readonly owed?: Owed } {
  let now = progress
  let owed: Owed | undefined
  for (const id of progress.current) {
    const step = stepOf(plan, id)
    if (step === undefined || isReported(plan, step)) continue
    const left = end(plan, now, { step: id, outcome: 'ok' }, given)
    if (left.ok) now = left.progress
    else owed ??= left.owed
  }
  return { progress: now, ...(owed !== undefined && { owed }) }
}

/** The required steps that are not done, in plan order; alternatives that were not taken are not among them. */
export function stepsLeft(plan: Plan, progress: Progress): readonly Step[] {
  if (progress.status === 'completed') return []
  const ahead = new Set<string>()
  const stuck = progress.status === 'parked' ? stuckAt(plan, progress).map(({ id }) => id) : []
  const waiting = [...progress.current, ...progress.open, ...stuck]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (ahead.has(id)) continue
    ahead.add(id)
    waiting.push(...(stepOf(plan, id)?.next?.['ok'] ?? []))
  }
  const led = ledSteps(plan)
  const isLeft = (step: Step): boolean =>
    step.next === undefined || isByArtifacts(plan)
      ? !isDone(step, progress.visits) &&
        (!led.has(step.id) || ahead.has(step.id) || progress.visits[step.id]?.outcome !== undefined)
      : ahead.has(step.id)
  return plan.steps.filter(
    (step) => !step.optional && plan.faulty?.includes(step.id) !== true && isLeft(step),
  )
}

/** The steps that nobody entered because the outcomes of others led elsewhere; one that was jumped is not among them. */
export function leftOut(plan: Plan, { status, visits }: Progress): ReadonlySet<string> {
  if (status !== 'completed' || isByArtifacts(plan)) return new Set()
  const led = new Set(plan.entry)
  const leadFrom = (step: Step) => {
    const outcome = visits[step.id]?.outcome ?? 'ok'
    return targetsFor(step, outcome) ?? step.next?.['ok'] ?? []
  }
  for (const step of plan.steps) if (visits[step.id] !== undefined) led.add(step.id)
  // The loop also visits what it adds.
  for (const id of led) {
    const step = stepOf(plan, id)
    for (const target of step === undefined ? [] : leadFrom(step)) led.add(target)
  }
  return new Set(plan.steps.map(({ id }) => id).filter((id) => !led.has(id)))
}

/** The steps that a parked plan waits at: they are at their limit, or did not end well. A gate only routes. */
export const stuckAt = (plan: Plan, { visits }: Progress): readonly Step[] =>
  plan.steps.filter((step) => {
    const { attempts, outcome, waived = false } = visits[step.id] ?? { attempts: 0, outcome: undefined }
    if (waived || step.gate !== undefined) return false
    if (!isGood(outcome)) return outcome !== undefined || attempts >= (step.limit ?? Infinity)
    return attempts >= (step.limit ?? Infinity) && isLedBackTo(plan, visits, step)
  })

const isGood = (outcome: string | undefined): boolean => outcome === 'ok' || outcome === 'skip'

/** True if the last outcome of another step, which the user did not waive, leads to one that has ended well. */
const isLedBackTo = (plan: Plan, visits: Progress['visits'], { id }: Step): boolean =>
  plan.steps.some((step) => {
    const { outcome, waived = false } = visits[step.id] ?? {}
    const isLed = outcome !== undefined && !waived && targetsFor(step, outcome)?.includes(id) === true
    return isLed && step.id !== id && (!isGood(outcome) || isBack(plan, step.id, id))
  })

/** The outcome of a step that leads to another: success, if that does. */
export const outcomeTo = (step: Step, id: string): string => namedOutcome(step, id) ?? 'ok'

/** True if only another outcome than success leads from a step to another, or to what follows at its limit. */
export function isByOutcome(plan: Plan, from: string, to: string): boolean {
  const { next = {} } = stepOf(plan, from) ?? {}
  const isTo = (id: string): boolean => id === to || stepOf(plan, id)?.onLimit === to
  if (next['ok']?.some(isTo) === true) return false
  return Object.values(next).flat().some(isTo)
}

function namedOutcome({ next = {} }: Step, id: string): string | undefined {
  if (next['ok']?.includes(id) === true) return 'ok'
  return Object.keys(next).find((outcome) => next[outcome]?.includes(id) === true)
}

/** The outcome that leads to a step because the step that it names is at its limit. */
function outcomeByLimit(
  plan: Plan,
  progress: Progress,
  { step, id }: { readonly step: Step; readonly id: string },
): string | undefined {
  if (!plan.steps.some(({ onLimit }) => onLimit === id)) return undefined
  return ['ok', ...Object.keys(step.next ?? {})].find((outcome) => {
    const left = advance(plan, progress, { kind: 'leave', step: step.id, outcome })
    return left.ok && left.progress.open.includes(id)
  })
}

/** The step to start by itself once another has ended; undefined if somebody must choose or nothing is left. */
export function following(plan: Plan, { status, current, open }: Progress): Step | undefined {
  if (status !== 'running' || current.length > 0) return undefined
  const [first, ...others] = open
  // A pipeline is a list: it tries a failed step again before it takes its detour.
  const isClear = others.length === 0 || plan.steps.some(({ runs }) => runs !== undefined)
  return first !== undefined && isClear ? stepOf(plan, first) : undefined
}

function owedText({ step, isUnread, artifacts, proof, reports }: Owed): string {
  const name = `Step ${quoted(step.label)}`
  if (isUnread) return `${name} was not read yet.`
  if (reports > 0) return `${name} waits for ${reports} more of its sub-agents.`
  const owed = [...artifacts, ...proof].map((one) => quoted(one)).join(', ')
  return `${name} still owes ${owed}.`
}
