import type { Field } from './frontmatter.ts'

/** The value of a field as text. */
export function textOf(field: Field | undefined): string | undefined {
  if (field === undefined || field.value === null) return undefined
  if (typeof field.value === 'string') return field.value.trim()
  return typeof field.value === 'object' ? field.source : JSON.stringify(field.value)
}

/** Reads a list, or splits a string at commas and spaces outside of parentheses. */
export function wordsOf(value: unknown): readonly string[] {
  if (Array.isArray(value))
    return value
      .flatMap((item) => (typeof item === 'string' ? [item.trim()] : []))
      .filter((item) => item !== '')
  return typeof value === 'string' ? splitOutside(value) : []
}

function splitOutside(text: string): readonly string[] {
  const words: string[] = []
  let word = ''
  let depth = 0
  for (const char of text) {
    if (char === '(') depth++
    if (char === ')') depth = Math.max(0, depth - 1)
    if (depth === 0 && /[\s,]/.test(char)) {
      words.push(word)
      word = ''
    } else word += char
  }
  return [...words, word].map((part) => part.trim()).filter((part) => part !== '')
}

/** Reads a list, or splits a string at commas. */
export function namesOf(value: unknown): readonly string[] {
  if (Array.isArray(value))
    return value
      .filter((item) => typeof item === 'string' || typeof item === 'number')
      .map((item) => String(item).trim())
  return typeof value === 'string'
    ? value
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
    : []
}

export const isTrue = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && /^(true|yes|on)$/i.test(value.trim()))

/** Whether a value is an object with fields, not a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields of an object, or no fields for any other value. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})
