import { compareLabels, isPhaseLabel, labelsAfter } from '../model/phase.ts'
import type { Step } from '../model/plan.ts'

/** What is known of a step before its way on is. */
export type Bare = Omit<Step, 'next'>

/** One after the other; what is optional may be left out. */
export function inSequence(steps: readonly Bare[]): readonly Step[] {
  const result: Step[] = []
  // From the end: the way on of a step is the next required one, and every optional one before it.
  let followers: readonly string[] = []
  for (const step of steps.toReversed()) {
    result.push({ ...step, next: { ok: followers, skip: followers } })
    followers = step.optional ? [step.id, ...followers] : [step.id]
  }
  return result.toReversed()
}

/** Phases: numbers are a sequence, letters are alternatives. */
export function inPhases(steps: readonly Bare[]): readonly Step[] {
  const labels = new Set(steps.map(({ label }) => label))
  if (labels.size < steps.length || !steps.every(({ label }) => isPhaseLabel(label))) return inSequence(steps)
  const phases = steps.map(({ label, title }) => ({ label, name: title }))
  const idOf = new Map(steps.map(({ id, label }) => [label, id]))
  return steps
    .toSorted((a, b) => compareLabels(a.label, b.label))
    .map((step) => ({
      ...step,
      next: { ok: labelsAfter(phases, step.label).map((label) => idOf.get(label) ?? '') },
    }))
}
