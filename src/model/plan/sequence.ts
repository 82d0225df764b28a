import { compareLabels, isPhaseLabel, labelsAfter } from './phase.ts'
import type { Step } from './plan.ts'

/** What is known of a step before its way on is. */
export type Bare = Omit<Step, 'next'>

/** How many optional steps one may choose from; real plans have a handful, and a choice of all would grow with their square. */
const WIDEST_CHOICE = 20
/** The longest real plan has 36 phases; beyond this, every pair would be looked at for nothing. */
const MOST_PHASES = 500

/** One after the other; what is optional may be left out. */
export function inSequence(steps: readonly Bare[]): readonly Step[] {
  const result: Step[] = []
  // From the end: the way on of a step is the next required one, and every optional one before it.
  let followers: readonly string[] = []
  for (const step of steps.toReversed()) {
    result.push({ ...step, next: { ok: followers, skip: followers } })
    followers = step.optional ? [step.id, ...narrowed(followers)] : [step.id]
  }
  return result.toReversed()
}

/** The nearest of the optional ones, and what is required after them. */
const narrowed = (followers: readonly string[]): readonly string[] =>
  followers.length < WIDEST_CHOICE
    ? followers
    : [...followers.slice(0, WIDEST_CHOICE - 2), ...followers.slice(-1)]

/** Phases: numbers are a sequence, letters are alternatives. */
export function inPhases(steps: readonly Bare[]): readonly Step[] {
  const labels = new Set(steps.map(({ label }) => label))
  if (steps.length > MOST_PHASES || labels.size < steps.length) return inSequence(steps)
  // The order of the file is the order of execution, whatever the numbers say.
  if (!steps.every(({ label }, at) => isPhaseLabel(label) && ascends(steps[at - 1]?.label, label)))
    return inSequence(steps)
  const phases = steps.map(({ label, title }) => ({ label, name: title }))
  const idOf = new Map(steps.map(({ id, label }) => [label, id]))
  return steps.map((step) => ({
    ...step,
    next: { ok: labelsAfter(phases, step.label).map((label) => idOf.get(label) ?? '') },
  }))
}

const ascends = (before: string | undefined, now: string): boolean =>
  before === undefined || compareLabels(before, now) < 0
