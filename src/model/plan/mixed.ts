import type { Progress } from './advance.ts'
import { consumersIn, oncePerPlan, type Plan, type Step, stepOf, targetsOf } from './plan.ts'

/*
 * In a plan of artifacts, some steps may name what follows them. A step that an outcome leads forward to starts only by
 * that outcome; a step that an outcome leads back to starts by its artifacts first.
 */

/** True if artifacts decide about a plan, apart from the steps that name what follows them. */
export const isByArtifacts = ({ entry }: Plan): boolean => entry.length === 0

/** The steps that only an outcome opens. */
export const ledSteps = oncePerPlan((plan): ReadonlySet<string> => {
  const led = new Set<string>()
  if (!isByArtifacts(plan)) return led
  for (const step of plan.steps)
    for (const target of targetsOf(step)) if (!leadsBack(plan, step.id, target)) led.add(target)
  return led
})

/** True if an outcome returns to a step that comes before. */
function leadsBack(plan: Plan, from: string, to: string): boolean {
  if (from === to || needing(plan, to).has(from)) return true
  if (stepOf(plan, to)?.consumes.length === 0 || needing(plan, from).has(to)) return false
  return behind(to, consumersOf(plan), followersOf(plan)).has(from)
}

type Follow = (id: string) => readonly string[]

const consumersOf =
  (plan: Plan): Follow =>
  (id) =>
    (stepOf(plan, id)?.produces ?? []).flatMap((artifact) =>
      (consumersIn(plan).get(artifact) ?? []).map((step) => step.id),
    )

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

const needingIn = oncePerPlan((_plan) => new Map<string, ReadonlySet<string>>())

/** The steps that need a product of one, directly or not. */
function needing(plan: Plan, id: string): ReadonlySet<string> {
  const known = needingIn(plan)
  const found = known.get(id) ?? behind(id, consumersOf(plan))
  known.set(id, found)
  return found
}

/** The steps that need a product of the given ones, directly or not. */
export const dependents = (plan: Plan, ids: readonly string[]): readonly string[] => [
  ...new Set(ids.flatMap((id) => [...needing(plan, id)])),
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
    Object.entries(visits).map(([id, { outcome, waived, ...visit }]) => [
      id,
      outcome === undefined || again.has(id) ? visit : { ...visit, outcome, ...(waived && { waived }) },
    ]),
  )
}

/** An approval of a step past failed ones waives those: they come before it, or it needs what they make. */
export function waivedFor(plan: Plan, step: Step, visits: Progress['visits']): Progress['visits'] {
  const place = plan.steps.indexOf(step)
  const isPast = ({ id }: Step) =>
    isByArtifacts(plan)
      ? dependents(plan, [id]).includes(step.id)
      : plan.steps.findIndex((one) => one.id === id) < place
  // A review of a runbook that could not be done is left behind as well.
  const hasFailed = ({ id }: Step) =>
    visits[id]?.outcome === 'fail' || (plan.runbook !== undefined && visits[id]?.outcome === 'again')
  const failed = plan.steps.filter((one) => hasFailed(one) && isPast(one))
  const waived = failed.flatMap(({ id }) => {
    const visit = visits[id]
    return visit === undefined ? [] : [[id, { ...visit, waived: true as const }] as const]
  })
  return waived.length === 0 ? visits : { ...visits, ...Object.fromEntries(waived) }
}
