import { CHOICE, UNFILLED } from './action-words.ts'
import type { Progress } from './advance.ts'
import type { Field, Plan } from './plan.ts'
import type { Values } from './plan-for.ts'
import { shellWord } from '../shell/word.ts'
import { isBlank, listed, quoted } from '../text/line.ts'
import { nearest } from '../text/nearest.ts'

/** Declared values of a workflow, by name. */
export type Fields = Readonly<Record<string, Field>>

const ROOM = 300

/** What a value must be, as the end of a sentence. */
export function wantedOf({ type, min, max, choices = [] }: Field): string {
  switch (type) {
    case 'text':
      return 'a text'
    case 'boolean':
      return 'true or false'
    case 'choice':
      return `one of ${listed(choices, ROOM)}`
    case 'number':
      return `a number${rangeText(min, max)}`
    default:
      return type satisfies never
  }
}

function rangeText(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` of at least ${min}`
  return max === undefined ? '' : ` of at most ${max}`
}

/** True if a value is one that the field takes; a blank that nobody filled in is none. */
export function fits({ type, min = -Infinity, max = Infinity, choices = [] }: Field, value: string): boolean {
  switch (type) {
    case 'text':
      return value === '' || !isBlank(value)
    case 'boolean':
      return value === 'true' || value === 'false'
    case 'choice':
      return choices.includes(value)
    case 'number':
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(value) && Number(value) >= min && Number(value) <= max
    default:
      return type satisfies never
  }
}

/** What is wrong with the given values, one sentence each. */
export function faultsIn(fields: Fields, given: Values): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) return [unknownText(name, Object.keys(fields))]
    return fits(field, value) ? [] : [`${name} must be ${wantedOf(field)}, not ${quoted(value, ROOM)}.`]
  })
}

function unknownText(name: string, known: readonly string[]): string {
  const [meant] = nearest(name, known)
  if (meant !== undefined) return `There is no value ${quoted(name)}; did you mean ${meant}?`
  const names = known.length === 0 ? 'It takes none.' : `It has: ${listed(known, ROOM)}.`
  return `There is no value ${quoted(name)}. ${names}`
}

/** The required fields that have no value. */
export const missingIn = (fields: Fields, values: Values): readonly string[] =>
  Object.keys(fields).filter((name) => fields[name]?.required === true && (values[name] ?? '') === '')

/** A flag that gives a value, with a blank where there is none. */
export const valueFlag = (flag: 'param' | 'set', name: string, value: string): string =>
  ` --${flag} ${shellWord(`${name}=${value}`)}`

/** What stands for a value that somebody must fill in; no field takes it, and XML prints it as it is. */
export function blankOf({ type, choices = [] }: Field): string {
  if (type === 'boolean') return `true${CHOICE}false`
  return type === 'choice' ? choices.join(CHOICE) : UNFILLED
}

/** The command that begins a workflow with these values, with a blank for each that is required or does not fit; of an effort that is there, if one is. */
export function startingCommand(skill: string, params: Fields, values: Values, effortId?: number): string {
  const flags = Object.entries(params).map(([name, field]) => {
    const value = values[name] ?? ''
    if (value === '') return field.required === true ? blankFlag(name, field) : ''
    if (value === field.default) return ''
    return fits(field, value) ? valueFlag('param', name, value) : blankFlag(name, field)
  })
  const own = effortId === undefined ? '' : ` --effort ${effortId}`
  return `holdfast step ${shellWord(skill)}${own}${flags.join('')}`
}

/** The command that begins a workflow which must be given something; undefined once it was, or has begun. */
export function beginningCommand(
  { id, skill }: { readonly id: number; readonly skill: string },
  { params = {}, variables = {} }: Plan,
  progress: Progress | undefined,
  values: Values = variables,
): string | undefined {
  const isReady = Object.keys(progress?.visits ?? {}).length > 0 || missingIn(params, values).length === 0
  return isReady ? undefined : startingCommand(skill, params, values, id)
}

const blankFlag = (name: string, field: Field): string => valueFlag('param', name, blankOf(field))
