import { oncePerPlan, type Field, type Plan } from './plan.ts'

/** A mode and values of variables with which an effort may begin. */
export interface Variant {
  readonly mode: 'quick' | null
  readonly variables: Readonly<Record<string, string>>
}

/** With more combinations than this, each value is tried once, beside the defaults of the others. */
const MOST_COMBINATIONS = 64

/** The ways to begin a plan: each mode that it knows, and the values at which it may differ. */
export const variantsOf = oncePerPlan((plan): readonly Variant[] => {
  const modes = plan.steps.some(({ only }) => only !== undefined) ? [null, 'quick' as const] : [null]
  const combinations = combinationsOf(valuesOf(plan))
  return modes.flatMap((mode) => combinations.map((variables) => ({ mode, variables })))
})

/** The values to try of each variable, its default first: what guards name, and the boundaries of params. */
function valuesOf({ params = {}, variables = {}, steps }: Plan): readonly (readonly [string, string[]])[] {
  const guards = steps.flatMap(({ when = {} }) => Object.entries(when))
  const names = new Set([...Object.keys(params), ...guards.map(([name]) => name)])
  return [...names].map((name) => {
    const start = Object.hasOwn(variables, name) ? [variables[name] ?? ''] : []
    const guarded = guards.filter(([one]) => one === name).map(([, value]) => value)
    const edges = Object.hasOwn(params, name) ? boundariesOf(params[name]) : []
    const values = new Set([...start, ...edges, ...guarded].filter((value) => value !== ''))
    return [name, [...values]] as const
  })
}

/** The values at the boundaries of a field; a text has none. */
export function boundariesOf(field: Field | undefined): readonly string[] {
  if (field === undefined) return []
  const { type, min, max, choices = [] } = field
  if (type === 'boolean') return ['true', 'false']
  return type === 'number' ? [min, max].flatMap((one) => (one === undefined ? [] : [String(one)])) : choices
}

function combinationsOf(
  all: readonly (readonly [string, readonly string[]])[],
): readonly Variant['variables'][] {
  const known = all.filter(([, values]) => values.length > 0)
  const firsts = Object.fromEntries(known.map(([name, [first = '']]) => [name, first]))
  const count = known.reduce((product, [, values]) => product * values.length, 1)
  if (count > MOST_COMBINATIONS)
    return [
      firsts,
      ...known.flatMap(([name, [, ...more]]) => more.map((value) => ({ ...firsts, [name]: value }))),
    ]
  return known.reduce<readonly Variant['variables'][]>(
    (found, [name, values]) => values.flatMap((value) => found.map((one) => ({ ...one, [name]: value }))),
    [{}],
  )
}
