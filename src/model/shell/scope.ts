import type { Function as Definition } from 'unbash'
import type { Value } from './args.ts'

/** All that a word may stand for, or that a command prints. */
export type Values = readonly Value[]

type Elements = ReadonlyMap<string, Values>

/** What a shell keeps from one command to the next. */
export interface Scope {
  /** The folders that it may be in; nothing for one that is not known. */
  cwds: Values
  variables: Map<string, Values>
  /** The elements of arrays that are known by their index. */
  elements: Map<string, Elements>
  /** All that a name may be defined as. */
  functions: Map<string, readonly Definition['body'][]>
}

/** More values of one word are not kept apart. */
export const MOST_VALUES = 64
const MOST_NAMES = 100
const MOST_FOLDERS = 8

/** What is left out of too many values is not known. */
export const atMost = (values: Values, most = MOST_VALUES): Values =>
  values.length <= most ? values : [...values.slice(0, most - 1), undefined]

/** A shell that knows nothing but its folder. */
export const newScope = (cwd: string | undefined): Scope => ({
  cwds: [cwd],
  variables: new Map(),
  elements: new Map(),
  functions: new Map(),
})

/** The same, to be changed apart. */
export const copied = ({ cwds, variables, elements, functions }: Scope): Scope => ({
  cwds,
  variables: new Map(variables),
  elements: new Map(elements),
  functions: new Map(functions),
})

/** How much copying a scope takes. */
export const sizeOf = ({ variables, elements, functions }: Scope): number =>
  variables.size + elements.size + functions.size

/** Replaces all that a variable held. */
export function assignTo({ variables, elements }: Scope, name: string, values: Values): void {
  if (!variables.has(name) && variables.size >= MOST_NAMES) return
  elements.delete(name)
  variables.set(name, atMost(values))
}

/** Replaces one element of an array; without an index any of them may have changed. */
export function assignElement(scope: Scope, name: string, index: Value, values: Values): void {
  const before = scope.elements.get(name) ?? new Map<string, Values>()
  assignTo(scope, name, [...(scope.variables.get(name) ?? []), ...values])
  if (index === undefined || before.size >= MOST_VALUES) return
  scope.elements.set(name, new Map([...before, [index, values]]))
}

/** Defines a function; there is no room for too many. */
export function define({ functions }: Scope, name: string, body: Definition['body']): boolean {
  if (!functions.has(name) && functions.size >= MOST_NAMES) return false
  functions.set(name, [body])
  return true
}

/** What is known where any of several ways may have been taken. */
export const merged = (scopes: readonly Scope[]): Scope =>
  scopes.reduce((one, other) => (one === other ? one : mergedTwo(one, other)))

const mergedTwo = (one: Scope, other: Scope): Scope => ({
  cwds: atMost(union(one.cwds, other.cwds), MOST_FOLDERS),
  variables: mergedMaps(one.variables, other.variables, (a, b) => atMost(union(a, b))),
  elements: new Map([...keptElements(other, one), ...keptElements(one, other)]),
  functions: mergedMaps(one.functions, other.functions, union),
})

/** Where the other has an array without its elements, any of its values may be meant. */
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
