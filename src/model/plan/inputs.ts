import type { Progress } from './advance.ts'
import { isBrought, type Plan, producersIn, type Step } from './plan.ts'

/** True if a step ended well, was skipped where that is allowed, or was waived by the user. */
export const isDone = (step: Step, visits: Progress['visits']): boolean => {
  const { outcome, waived = false } = visits[step.id] ?? {}
  if (waived) return true
  if (outcome === undefined || outcome === 'ok') return outcome === 'ok'
  // An outcome that the step names is one of its results, unless it failed.
  const isNamed = step.next !== undefined && Object.hasOwn(step.next, outcome)
  return outcome === 'skip' ? step.optional || isNamed : isNamed && outcome !== 'fail'
}

/** The artifacts that a step still needs. */
export const missingFor = (plan: Plan, step: Step, visits: Progress['visits']): readonly string[] =>
  inputsMissing(plan, step, (artifact) =>
    (producersIn(plan).get(artifact) ?? []).some((one) => isDone(one, visits)),
  )

/**
 * The inputs of a step that are not there. An optional step may be skipped but not jumped: whoever consumes its
 * product needs at least what the optional step itself consumes.
 */
export function inputsMissing(
  plan: Plan,
  step: Step,
  isThere: (artifact: string) => boolean,
): readonly string[] {
  const wanted = new Set(step.consumes)
  const missing: string[] = []
  // The loop also visits what it adds.
  for (const artifact of wanted) {
    if (isBrought(plan, artifact) || isThere(artifact)) continue
    // A step never waits for itself, even where it looks at what an optional step says about it.
    const producers = (producersIn(plan).get(artifact) ?? []).filter((one) => one !== step)
    const optional = producers.find((one) => one.optional)
    if (optional !== undefined) for (const input of optional.consumes) wanted.add(input)
    // An artifact without a producer is a fault of the plan (HF307) and must not block the work.
    else if (producers.length > 0) missing.push(artifact)
  }
  return missing
}
