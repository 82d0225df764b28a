import { compareLabels, isPhaseLabel, labelsAfter } from './phase.ts'
import { MOST_STEPS, type Step } from './plan.ts'

/** The most optional steps in one choice; unlimited choices would grow quadratically. */
const WIDEST_CHOICE = 20

/** Steps in sequence; optional ones may be skipped, and targets that a step names itself stay. */
export function inSequence(steps: readonly Step[]): readonly Step[] {
  const result: Step[] = []
  // From the end: targets are the next required step and every optional step before it.
  let followers: readonly string[] = []
  for (const step of steps.toReversed()) {
    result.push({ ...step, next: { ok: followers, ...(step.optional && { skip: followers }), ...step.next } })
    followers = step.optional ? [step.id, ...narrowed(followers)] : [step.id]
  }
  return result.toReversed()
}

/** A sequence begins with its first required step, or with an optional step before it. */
export function firstSteps(steps: readonly Step[]): readonly string[] {
  const required = steps.findIndex((step) => !step.optional)
  return steps.slice(0, required === -1 ? 1 : required + 1).map(({ id }) => id)
}

/** The nearest optional steps and the required step after them. */
const narrowed = (followers: readonly string[]): readonly string[] =>
  followers.length < WIDEST_CHOICE
    ? followers
    : [...followers.slice(0, WIDEST_CHOICE - 2), ...followers.slice(-1)]

/** Phases: numbers are a sequence, letters are alternatives. */
export function inPhases(steps: readonly Step[]): readonly Step[] {
  const labels = new Set(steps.map(({ label }) => label))
  // More phases than a plan may have are not compared in pairs.
  if (steps.length > MOST_STEPS || labels.size < steps.length) return inSequence(steps)
  // File order is execution order, whatever the numbers are.
  if (!steps.every(({ label }, at) => isPhaseLabel(label) && ascends(steps[at - 1]?.label, label)))
    return inSequence(steps)
  const phases = steps.map(({ label, title }) => ({ label, name: title }))
  const stepAt = new Map(steps.map((step) => [step.label, step]))
  const following = new Map<string, readonly Step[]>()
  // From the end: a way into an optional phase is also a way past it.
  for (const { label } of steps.toReversed()) {
    const after = labelsAfter(phases, label).flatMap((next) => stepAt.get(next) ?? [])
    following.set(label, passing(after, following))
  }
  return steps.map((step) => {
    const after = (following.get(step.label) ?? []).map(({ id }) => id)
    return { ...step, next: { ok: after, ...(step.optional && { skip: after }), ...step.next } }
  })
}

/** The phases that a plan may begin with, by id. */
export function firstPhases(steps: readonly Step[]): readonly string[] {
  const phases = steps.map(({ label, title }) => ({ label, name: title }))
  const known = new Map(steps.map((step) => [step.label, step]))
  const after = new Map(
    steps.map((step) => [
      step.label,
      (step.next?.['ok'] ?? []).flatMap((id) => steps.find((one) => one.id === id) ?? []),
    ]),
  )
  const first = labelsAfter(phases, undefined).flatMap((label) => known.get(label) ?? [])
  return passing(first, after).map(({ id }) => id)
}

/** These phases, and those behind the optional ones among them. */
function passing(phases: readonly Step[], following: ReadonlyMap<string, readonly Step[]>): readonly Step[] {
  const behind = phases.flatMap(({ label, optional }) => (optional ? (following.get(label) ?? []) : []))
  const all = [...new Set([...phases, ...behind])]
  return all.length <= WIDEST_CHOICE ? all : [...all.slice(0, WIDEST_CHOICE - 1), ...all.slice(-1)]
}

const ascends = (before: string | undefined, now: string): boolean =>
  before === undefined || compareLabels(before, now) < 0
