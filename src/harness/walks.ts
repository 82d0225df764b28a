import { targetsFor } from '../model/plan/advance.ts'
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
 * Few walks that take as many outcomes as they can: in each beginning, one without any, one in which everything fails
 * once that may be tried again, and then the longest ways first.
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

function outcomesIn(plan: Plan, way: readonly Taken[]): Walk['outcomes'] {
  const groups = Map.groupBy(way, ({ step }) => stepOf(plan, step)?.label ?? step)
  return new Map([...groups].map(([label, taken]) => [label, taken.map(({ outcome }) => outcome)]))
}

/** A loop that is shorter here than in the plan goes on to its limit, unless that is far. */
const FARTHEST_LIMIT = 6

/** What an agent on this walk chooses. */
export function chooserFor(plan: Plan, { outcomes }: Walk): Choose {
  return (label, attempts) => {
    const known = outcomes.get(label) ?? []
    const { limit = Infinity } = plan.steps.find((step) => step.label === label) ?? {}
    const last = known.at(-1)
    const goesOn = known.length > 1 && attempts <= limit && limit <= FARTHEST_LIMIT
    const outcome = known[attempts - 1] ?? (goesOn ? last : undefined)
    return outcome === undefined || outcome === 'ok' ? undefined : { from: label, outcome }
  }
}
