import { type Diagnostic, type DiagnosticCode, diagnose, type Place } from '../../model/diagnostic.ts'
import { nearest } from '../../model/text/nearest.ts'
import { isRecord } from './values.ts'

const LONGEST_WORD = 200
const MOST_STRANGERS = 10

/** Replaces line breaks and control characters with spaces. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

/** The allowed values of a field, as a check and in words. */
export interface Kind<T> {
  is(value: unknown): value is T
  readonly wanted: string
}

const isText = (value: unknown): value is string => typeof value === 'string' && oneLine(value) !== ''
const isWord = (value: unknown): value is string =>
  isText(value) && value.length <= LONGEST_WORD && !/[\s\p{Cc}]/u.test(value)
const isListOf =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is readonly T[] =>
    Array.isArray(value) && Array.from(value).every(is)

export const WORD: Kind<string> = { is: isWord, wanted: 'a string without spaces' }
export const WORDS: Kind<readonly string[]> = {
  is: isListOf(isWord),
  wanted: 'a list of strings without spaces',
}
export const TITLE: Kind<string> = { is: isText, wanted: 'a non-empty string' }

/** Reads the fields of an unknown value; a field of the wrong kind becomes a diagnostic and is dropped. */
export function reader(
  value: unknown,
  {
    name,
    keys,
    code,
  }: { readonly name: string; readonly keys: readonly string[]; readonly code: DiagnosticCode },
  place: Place,
  diagnostics: Diagnostic[],
) {
  const fields = isRecord(value) ? value : {}
  const tell = (message: string) => void diagnostics.push(diagnose(code, place, message))
  if (!isRecord(value)) tell(`${name} must be an object, not ${given(value)}.`)
  diagnostics.push(...unknownFields(name, Object.keys(fields), { known: keys, code: 'HF209', place }))
  const may = <T>(key: string, kind: Kind<T>): T | undefined => {
    const found = fields[key]
    if (found === undefined || kind.is(found)) return found
    tell(`${name}: ${key} must be ${kind.wanted}, not ${given(found)}.`)
    return undefined
  }
  const must = <T>(key: string, kind: Kind<T>): T | undefined => {
    if (isRecord(value) && fields[key] === undefined)
      tell(`${name} has no ${key}; it must be ${kind.wanted}.`)
    return may(key, kind)
  }
  return { may, must }
}

/** Reports the fields that are not known, with the known one that each may mean. */
export function unknownFields(
  whose: string,
  keys: readonly string[],
  told: { readonly known: readonly string[]; readonly code: DiagnosticCode; readonly place: Place },
): readonly Diagnostic[] {
  const strangers = keys.filter((key) => !told.known.includes(key)).slice(0, MOST_STRANGERS)
  return strangers.map((stranger) => {
    const key = stranger.slice(0, LONGEST_WORD)
    const [meant] = nearest(key, told.known)
    const suggestion = meant === undefined ? '.' : `; did you mean ${meant}?`
    return diagnose(told.code, told.place, `${whose} has an unknown field ${key}${suggestion}`)
  })
}

const LONGEST_SHOWN = 40

const shown = (text: string): string =>
  JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)

/** A value as a message shows it: short texts and numbers as they are, everything else by its kind. */
export function given(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'string') return value.trim() === '' ? 'an empty string' : shown(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'object') return 'an object'
  return value === undefined ? 'nothing' : `a ${typeof value}`
}
