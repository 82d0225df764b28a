import { patternsOf } from './patterns.ts'
import type { Dispatch, Step } from './plan.ts'

/** Written instead of a step: they end the plan, or park it, unless a step has this name. */
const [END, PARK] = ['end', 'park']

/** True for a word that may stand instead of a step. */
export const isReserved = (name: string): boolean => name === END || name === PARK

/** What a step says in any notation; targets are names, not yet ids. */
interface StepFields {
  readonly next?: Readonly<Record<string, readonly string[]>>
  readonly limit?: number
  readonly onLimit?: string
  readonly writes?: readonly string[]
  readonly dispatch?: Dispatch
  readonly when?: Readonly<Record<string, string>>
  readonly optional?: boolean
  readonly only?: 'full' | 'quick'
}

type Key = keyof StepFields

/** A field of a step that cannot be used: its value is wrong, or it names a step that does not exist. */
export type StepFault = { readonly step: Step; readonly key: Key | 'proof' } & (
  | { readonly kind: 'shape'; readonly wanted: string; readonly value: unknown }
  | { readonly kind: 'target'; readonly target: string }
)

interface Reader<T> {
  /** Undefined if the value is wrong. */
  readonly read: (value: unknown) => T | undefined
  readonly wanted: string
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const LONGEST_NAME = 200

/** YAML keeps numbers as text, JSON does not. */
const nameOf = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return text === '' || text.length > LONGEST_NAME || /\p{Cc}/u.test(text) ? undefined : text
}

const countOf = (value: unknown): number | undefined => {
  const count =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && /^\d{1,9}$/.test(value.trim())
        ? Number(value)
        : 0
  return Number.isSafeInteger(count) && count > 0 ? count : undefined
}

const flagOf = (value: unknown): boolean | undefined => {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim() : ''
  return /^(true|yes|on)$/i.test(word) ? true : /^(false|no|off)$/i.test(word) ? false : undefined
}

/** An empty list would lead nowhere; null ends the plan. */
function targetsOf(value: unknown): readonly string[] | undefined {
  if (value === null) return []
  const names = (Array.isArray(value) ? Array.from(value as unknown[]) : [value]).map(nameOf)
  const known = names.filter((name) => name !== undefined)
  return known.length === 0 || known.length < names.length ? undefined : [...new Set(known)]
}

function nextOf(value: unknown): StepFields['next'] {
  const written = isRecord(value) ? Object.entries(value) : [['ok', value] as const]
  const outcomes = written.map(([outcome, target]) => [outcome, targetsOf(target)] as const)
  const isSound = outcomes.every(([outcome, targets]) => /^\S{1,200}$/.test(outcome) && targets !== undefined)
  return isSound ? (Object.fromEntries(outcomes) as StepFields['next']) : undefined
}

function dispatchOf(value: unknown): Dispatch | undefined {
  if (!isRecord(value)) return dispatchOf({ count: value })
  const { count: written, join = 'all', ...others } = value
  const count = countOf(written)
  if (count === undefined || count > MOST_SUBAGENTS || Object.keys(others).length > 0) return undefined
  const wanted = join === 'all' ? count : join === 'any' ? 1 : countOf(join)
  return wanted === undefined || wanted > count ? undefined : { count, join: wanted }
}

export const MOST_SUBAGENTS = 100

function whenOf(value: unknown): StepFields['when'] {
  if (!isRecord(value) || Object.keys(value).length === 0) return undefined
  const pairs = Object.entries(value).map(
    ([name, wanted]) => [name, typeof wanted === 'boolean' ? String(wanted) : nameOf(wanted)] as const,
  )
  const isSound = pairs.every(([name, wanted]) => isVariableName(name) && wanted !== undefined)
  return isSound ? (Object.fromEntries(pairs) as StepFields['when']) : undefined
}

/** Names that a guard, a command or a pattern may use; no object keeps a value of `__proto__`. */
export const isVariableName = (name: string): boolean => /^(?!__proto__$)[A-Za-z_][\w-]{0,63}$/.test(name)

const READERS: { readonly [K in Key]-?: Reader<NonNullable<StepFields[K]>> } = {
  next: {
    read: nextOf,
    wanted: 'a step, a list of steps, or outcomes such as {ok: build, again: plan, skip: null}',
  },
  limit: { read: countOf, wanted: 'a whole number above 0' },
  onLimit: { read: nameOf, wanted: 'a step, or park' },
  writes: {
    read: patternsOf,
    wanted: 'a list of patterns inside the project, such as [src/**]',
  },
  dispatch: {
    read: dispatchOf,
    wanted: `1 to ${MOST_SUBAGENTS} sub-agents, such as 3 or {count: 3, join: any}, with a join of at most the count`,
  },
  when: { read: whenOf, wanted: 'values of variables, such as {confidence: high}' },
  optional: { read: flagOf, wanted: 'true or false' },
  only: {
    read: (value) => (value === 'full' || value === 'quick' ? value : undefined),
    wanted: 'full or quick',
  },
}

/** The fields that every notation reads. */
export const STEP_FIELDS = Object.keys(READERS) as readonly Key[]

/** Applies what was written for each step; a faulty field is reported and left out. */
export function applyFields(
  steps: readonly Step[],
  writtenFor: (step: Step) => unknown,
  find: Find = finder(steps),
): { readonly steps: readonly Step[]; readonly faults: readonly StepFault[] } {
  const faults: StepFault[] = []
  const applied = steps.map((step) => {
    const written = writtenFor(step)
    return isRecord(written) ? withFields(step, readFields(step, written, faults), { find, faults }) : step
  })
  return { steps: applied, faults }
}

function readFields(step: Step, written: Readonly<Record<string, unknown>>, faults: StepFault[]): StepFields {
  const pairs = STEP_FIELDS.flatMap((key) => {
    const value = Object.hasOwn(written, key) ? written[key] : undefined
    // Only `next: null` means something: the end.
    if (value === undefined || (value === null && key !== 'next')) return []
    const { read, wanted } = READERS[key]
    const found = read(value)
    if (found !== undefined) return [[key, found] as const]
    faults.push({ step, key, kind: 'shape', wanted, value })
    return []
  })
  return Object.fromEntries(pairs)
}

type Find = (name: string) => string | undefined

/** Finds the id of a step by its id, its label, or the name of its file. */
export function finder(steps: readonly Step[]): Find {
  const names = new Map(steps.toReversed().map(({ id, label }) => [label, id]))
  for (const { id } of steps) names.set(id, id)
  return (name) => names.get(name) ?? names.get(/([^/]+)\.md$/.exec(name)?.[1] ?? '')
}

/** Keeps the targets that the sequence gives for outcomes that the step does not name. */
function withFields(
  step: Step,
  { next, onLimit, ...fields }: StepFields,
  { find, faults }: { readonly find: Find; readonly faults: StepFault[] },
): Step {
  const ask = (key: Key, target: string): readonly string[] => {
    const id = find(target)
    if (id === undefined) faults.push({ step, key, kind: 'target', target })
    return id === undefined ? [] : [id]
  }
  const named = Object.entries(next ?? {}).flatMap(([outcome, targets]) => {
    // A step may be called end; null always ends the plan.
    const isEnd = targets.every((target) => target === END && targets.length === 1 && find(END) === undefined)
    const ids = isEnd ? [] : targets.flatMap((name) => ask('next', name))
    return isEnd || ids.length > 0 ? [[outcome, ids] as const] : []
  })
  const { next: given, onLimit: before, ...rest } = step
  const isParked = onLimit === PARK && find(PARK) === undefined
  const [after] = onLimit === undefined ? [before] : isParked ? [] : ask('onLimit', onLimit)
  const isNamed = named.length > 0 || (next !== undefined && Object.keys(next).length === 0)
  return {
    ...rest,
    ...fields,
    ...((given !== undefined || isNamed) && {
      next: {
        ...(fields.optional === true && given !== undefined && { skip: given['ok'] ?? [] }),
        ...given,
        ...Object.fromEntries(named),
      },
    }),
    ...(after !== undefined && { onLimit: after }),
  }
}
