import type { Deciding, Field, Plan, Step } from './plan.ts'
import type { Values } from './plan-for.ts'

/** The outcome that the values decide; undefined if they decide none. */
export const decidedOutcome = ({ decides = [] }: Pick<Step, 'decides'>, values: Values): string | undefined =>
  decides.find((one) => holds(one, values))?.outcome

const holds = ({ when = {} }: Deciding, values: Values): boolean =>
  Object.entries(when).every(([name, wanted]) => [wanted].flat().includes(values[name] ?? ''))

/** The names of the values that decide the outcome of a step. */
export const decidingNames = ({ decides = [] }: Pick<Step, 'decides'>): readonly string[] => [
  ...new Set(decides.flatMap(({ when = {} }) => Object.keys(when))),
]

/** The state that a caller may set: what a review returns is not its own to say. */
export function ownState({ state = {}, steps, leftOut = [] }: Plan): Readonly<Record<string, Field>> {
  const returned = new Set(
    [...steps, ...leftOut].flatMap(({ review, dispatch }) =>
      review === undefined ? [] : (dispatch?.returns ?? []),
    ),
  )
  return Object.fromEntries(Object.entries(state).filter(([name]) => !returned.has(name)))
}
