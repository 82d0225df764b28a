import { targetsFor } from '../model/plan/opening.ts'
import type { Taken } from '../model/plan/explore.ts'
import { type Plan, stepOf } from '../model/plan/plan.ts'
import { usualOutcome, valuesFor } from './values.ts'
import { boundariesOf, type Variant } from '../model/plan/variants.ts'
import type { Choose } from './follow.ts'
import { beginnings } from './graph.ts'

/** A way through a plan for an agent: how it begins, and the outcomes of each step in turn. */
export interface Walk {
  readonly variant: Variant
  /** The outcomes by label; each further visit ends well. */
  readonly outcomes: ReadonlyMap<string, readonly string[]>
}

/** More walks would show little more, and each takes seconds. */
const MOST_WALKS = 24

/**
 * Few walks that take as many outcomes as they can. Each beginning has one without any, and one in which everything that
 * may be tried again fails once; then the longest ways come first.
 */
export function walksOf(plan: Plan): readonly Walk[] {
  const walks = beginnings(plan).flatMap(({ variant, explored }) => {
    const retried = new Map(
      plan.steps
        .filter((step) => step.runs !== undefined || step.next !== undefined)
        .filter(
          (step) =>
            step.decides === undefined &&
            targetsFor(step, 'fail') === undefined &&
            (step.limit ?? Infinity) > 1,
        )
        .map(({ label }) => [label, ['fail']] as const),
    )
    const named = explored.ways.filter((way) => isNamed(plan, way.at(-1)))
    return [
      { variant, outcomes: new Map() },
      ...(retried.size === 0 ? [] : [{ variant, outcomes: retried }]),
      ...fewest(named).map((way) => ({ variant, outcomes: outcomesIn(plan, way) })),
    ]
  })
  return [...walks, ...boundaryWalks(plan)].slice(0, MOST_WALKS)
}

/** A walk without any outcome for each boundary of what a workflow is given. */
const boundaryWalks = ({ params = {} }: Plan): readonly Walk[] =>
  Object.entries(params).flatMap(([name, field]) =>
    boundariesOf(field).map((value) => ({
      variant: { mode: null, variables: { [name]: value } },
      outcomes: new Map(),
    })),
  )

/** An outcome that only a walk of its own shows. */
function isNamed(plan: Plan, last: Taken | undefined): boolean {
  const step = last === undefined ? undefined : stepOf(plan, last.step)
  if (step === undefined || last === undefined || last.outcome === usualOutcome(step)) return false
  if (step.decides !== undefined && valuesFor(plan, step, last.outcome) === undefined) return false
  return last.outcome !== 'fail' || targetsFor(step, 'fail') !== undefined
}

/** The ways that no longer one contains. */
function fewest(ways: readonly (readonly Taken[])[]): readonly (readonly Taken[])[] {
  const shown = new Set<string>()
  return ways
    .toSorted((a, b) => b.length - a.length)
    .filter((way) => {
      const isNew = !shown.has(JSON.stringify(way.at(-1)))
      if (isNew) for (const taken of way) shown.add(JSON.stringify(taken))
      return isNew
    })
}

/** The outcomes of each step on a way. A last one that leads to a limit is repeated until there. */
function outcomesIn(plan: Plan, way: readonly Taken[]): Walk['outcomes'] {
  const last = way.at(-1)
  const rounds = last === undefined ? 0 : roundsOf(plan, last)
  const whole = [
    ...way,
    ...Array.from({ length: Math.max(0, rounds - 1) }, () => last).filter((one) => one !== undefined),
  ]
  const groups = Map.groupBy(whole, ({ step }) => stepOf(plan, step)?.label ?? step)
  return new Map([...groups].map(([label, taken]) => [label, taken.map(({ outcome }) => outcome)]))
}

/** More rounds than this show nothing new. */
const MOST_ROUNDS = 6

function roundsOf(plan: Plan, { step: id, outcome }: Taken): number {
  const step = stepOf(plan, id)
  const [target = ''] = (step === undefined ? undefined : targetsFor(step, outcome)) ?? []
  const { limit = 1 } = stepOf(plan, target) ?? {}
  return limit > MOST_ROUNDS ? ROUNDS : limit
}

/** Rounds of a loop whose limit is far. */
const ROUNDS = 2

/** What an agent on this walk chooses. */
export const chooserFor =
  ({ outcomes }: Walk): Choose =>
  (label, attempts) => {
    const outcome = outcomes.get(label)?.[attempts - 1]
    return outcome === undefined || outcome === 'ok' ? undefined : { from: label, outcome }
  }
