import { keptText } from '../../model/text/kept.ts'
import { absolutePath } from '../../model/text/path.ts'

/** An unvalidated object. */
export type Fields = Readonly<Record<string, unknown>>

const NONE: Fields = {}
const LONGEST_NAME = 500
export const LONGEST_TEXT = 100_000

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : NONE)

/** Without holes, because `map` would keep them. */
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? Array.from<unknown>(value) : []

/** A text to keep, cut if it is long. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? keptText(value, LONGEST_TEXT) : undefined
}

/** An id or a name; a long one is dropped, because cutting would change it. */
export function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_NAME) return undefined
  return value.includes('\0') ? undefined : value.toWellFormed()
}

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

export const flagOf = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined

export const pathOf = (value: unknown, cwd: string | undefined): string | undefined =>
  typeof value === 'string' ? absolutePath(value, cwd) : undefined
