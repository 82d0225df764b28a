import type { Function as Definition } from 'unbash'
import type { Value } from './args.ts'

/** All possible values of a word, or of a command's output. */
export type Values = readonly Value[]

type Elements = ReadonlyMap<string, Values>

/** The state that a shell keeps between commands. */
export interface Scope {
  /** The possible current folders; undefined for an unknown one. */
  cwds: Values
  variables: Map<string, Values>
  /** Array elements with a known index. */
  elements: Map<string, Elements>
  /** The possible definitions of each name. */
  functions: Map<string, readonly Definition['body'][]>
  /** Shared by all scopes of a command. */
  readonly limits: Limits
}

/** Whether there was no room for some value. */
export interface Limits {
  isReached: boolean
  /** Names that a shell refuses to assign again; what they had may stay. */
  readonly fixed: Set<string>
}

/** The most values kept for one word. */
export const MOST_VALUES = 64
const MOST_NAMES = 100
const MOST_FOLDERS = 8

/** Limits a list of values; the rest becomes one unknown value. */
export function atMost(
  values: Values,
  { limits }: { readonly limits: Pick<Limits, 'isReached'> },
  most = MOST_VALUES,
): Values {
  if (values.length <= most) return values
  limits.isReached = true
  return [...values.slice(0, most - 1), undefined]
}

/** The scope of a shell that knows only its folder. */
export const newScope = (cwd: string | undefined): Scope => ({
  cwds: [cwd],
  variables: new Map(),
  elements: new Map(),
  functions: new Map(),
  limits: { isReached: false, fixed: new Set() },
})

/** An independent copy. */
export const copied = ({ cwds, variables, elements, functions, limits }: Scope): Scope => ({
  limits,
  cwds,
  variables: new Map(variables),
  elements: new Map(elements),
  functions: new Map(functions),
})

/** The cost of copying a scope. */
export const sizeOf = ({ variables, elements, functions }: Scope): number =>
  variables.size + elements.size + functions.size

/** Replaces the values of a variable. */
export function assignTo({ variables, elements, limits }: Scope, name: string, values: Values): void {
  if (!variables.has(name) && variables.size >= MOST_NAMES) {
    limits.isReached = true
    return
  }
  elements.delete(name)
  const before = limits.fixed.has(name) ? (variables.get(name) ?? []) : []
  variables.set(name, atMost(union(before, values), { limits }))
}

/** Adds values to those of a variable, where it is not sure that they replace them. */
export const addTo = (scope: Scope, name: string, values: Values): void =>
  assignTo(scope, name, union(scope.variables.get(name) ?? [], values))

/** The number of values that a scope knows; it only grows in a loop. */
export const weightOf = ({ cwds, variables }: Scope): number =>
  [...variables.values()].reduce((sum, values) => sum + values.length, cwds.length)

/** Replaces one element of an array; without an index, any element may have changed. */
export function assignElement(scope: Scope, name: string, index: Value, values: Values): void {
  const before = scope.elements.get(name) ?? new Map<string, Values>()
  assignTo(scope, name, [...(scope.variables.get(name) ?? []), ...values])
  if (index === undefined || before.size >= MOST_VALUES) return
  scope.elements.set(name, new Map([...before, [index, values]]))
}

/** Defines a function; returns false if there are too many. */
export function define({ functions }: Scope, name: string, body: Definition['body']): boolean {
  if (!functions.has(name) && functions.size >= MOST_NAMES) return false
  functions.set(name, [body])
  return true
}

/** The scope after any of several branches. */
export const merged = (scopes: readonly Scope[]): Scope =>
  scopes.reduce((one, other) => (one === other ? one : mergedTwo(one, other)))

const mergedTwo = (one: Scope, other: Scope): Scope => ({
  limits: one.limits,
  cwds: atMost(union(one.cwds, other.cwds), one, MOST_FOLDERS),
  variables: mergedMaps(one.variables, other.variables, (a, b) => atMost(union(a, b), one)),
  elements: new Map([...keptElements(other, one), ...keptElements(one, other)]),
  functions: mergedMaps(one.functions, other.functions, union),
})

/** Drops elements if the other scope has the array without known elements. */
function keptElements({ elements }: Scope, other: Scope): readonly (readonly [string, Elements])[] {
  return [...elements].flatMap(([name, own]) => {
    const others = other.elements.get(name)
    if (others === undefined) return other.variables.has(name) ? [] : [[name, own] as const]
    const both = [...own].filter(([index]) => others.has(index))
    return [[name, new Map(both.map(([index, a]) => [index, union(a, others.get(index) ?? [])]))] as const]
  })
}

function mergedMaps<T>(one: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>, join: (a: T, b: T) => T) {
  const all = new Map(one)
  for (const [name, value] of other) {
    const before = all.get(name)
    all.set(name, before === undefined || before === value ? value : join(before, value))
  }
  return all
}

const union = <T>(one: readonly T[], other: readonly T[]): readonly T[] => [...new Set([...one, ...other])]
