import { compareLabels, isPhaseLabel, labelsAfter } from './phase.ts'
import type { Step } from './plan.ts'

/** A step before its targets are known. */
export type Bare = Omit<Step, 'next'>

/** The most optional steps in one choice; unlimited choices would grow quadratically. */
const WIDEST_CHOICE = 20
/** The longest real plan has 36 phases; larger ones skip the pairwise comparison. */
const MOST_PHASES = 500

/** Steps in sequence; optional ones may be skipped. */
export function inSequence(steps: readonly Bare[]): readonly Step[] {
  const result: Step[] = []
  // From the end: targets are the next required step and every optional step before it.
  let followers: readonly string[] = []
  for (const step of steps.toReversed()) {
    result.push({ ...step, next: { ok: followers, skip: followers } })
    followers = step.optional ? [step.id, ...narrowed(followers)] : [step.id]
  }
  return result.toReversed()
}

/** The nearest optional steps and the required step after them. */
const narrowed = (followers: readonly string[]): readonly string[] =>
  followers.length < WIDEST_CHOICE
    ? followers
    : [...followers.slice(0, WIDEST_CHOICE - 2), ...followers.slice(-1)]

/** Phases: numbers are a sequence, letters are alternatives. */
export function inPhases(steps: readonly Bare[]): readonly Step[] {
  const labels = new Set(steps.map(({ label }) => label))
  if (steps.length > MOST_PHASES || labels.size < steps.length) return inSequence(steps)
  // File order is execution order, whatever the numbers are.
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
