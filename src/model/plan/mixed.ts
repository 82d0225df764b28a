import type { Progress } from './advance.ts'
import { type Plan, stepOf, targetsOf } from './plan.ts'

/*
 * In a plan of artifacts, some steps may name what follows them. A step that an outcome leads forward to starts only by
 * that outcome; a step that an outcome leads back to starts by its artifacts first.
 */

/** True if artifacts decide about a plan, apart from the steps that name what follows them. */
export const isByArtifacts = ({ entry }: Plan): boolean => entry.length === 0

/** The steps that only an outcome opens. */
export function ledSteps(plan: Plan): ReadonlySet<string> {
  const led = new Set<string>()
  if (!isByArtifacts(plan)) return led
  for (const step of plan.steps)
    for (const target of targetsOf(step)) if (!leadsBack(plan, step.id, target)) led.add(target)
  return led
}

/** True if an outcome returns to a step that comes before. */
function leadsBack(plan: Plan, from: string, to: string): boolean {
  if (from === to || behind(to, consumersOf(plan)).has(from)) return true
  if (stepOf(plan, to)?.consumes.length === 0 || behind(from, consumersOf(plan)).has(to)) return false
  return behind(to, consumersOf(plan), followersOf(plan)).has(from)
}

type Follow = (id: string) => readonly string[]

const consumersOf =
  (plan: Plan): Follow =>
  (id) => {
    const made = stepOf(plan, id)?.produces ?? []
    return plan.steps
      .filter(({ consumes }) => made.some((artifact) => consumes.includes(artifact)))
      .map((step) => step.id)
  }

const followersOf =
  (plan: Plan): Follow =>
  (id) => {
    const step = stepOf(plan, id)
    return step === undefined ? [] : targetsOf(step)
  }

/** Everything behind a step, by the given kinds of edges. */
function behind(from: string, ...follow: readonly Follow[]): ReadonlySet<string> {
  const found = new Set(follow.flatMap((next) => next(from)))
  // The loop also visits what it adds.
  for (const id of found) for (const next of follow) for (const target of next(id)) found.add(target)
  return found
}

/** The steps that need a product of the given ones, directly or not. */
export const dependents = (plan: Plan, ids: readonly string[]): readonly string[] => [
  ...new Set(ids.flatMap((id) => [...behind(id, consumersOf(plan))])),
]

/** Steps that an outcome leads back to, and all that need their products, are to be done again. */
export function undone(
  plan: Plan,
  from: string,
  targets: readonly string[],
  visits: Progress['visits'],
): Progress['visits'] {
  const back = targets.filter((target) => leadsBack(plan, from, target))
  const again = new Set([...back, ...dependents(plan, back)])
  return Object.fromEntries(
    Object.entries(visits).map(([id, { outcome, ...visit }]) => [
      id,
      outcome === undefined || again.has(id) ? visit : { ...visit, outcome },
    ]),
  )
}
