import type * as z from 'zod'
import { nearest } from '../../model/text/nearest.ts'

type Issue = z.core.$ZodIssue

/** The parameter at fault, by its path. */
export function fieldOf(issue: Issue | undefined): string {
  if (issue?.code === 'unrecognized_keys') return [...issue.path, issue.keys[0] ?? ''].map(String).join('.')
  return issue?.path.map(String).join('.') ?? ''
}

/** Describes what is wrong with the parameters, without Zod's wording. */
export function describeIssue(issue: Issue | undefined, raw: unknown, known: readonly string[]): string {
  const field = fieldOf(issue)
  if (issue?.code === 'unrecognized_keys') {
    const [meant] = nearest(field, known)
    return `unknown parameter ${field}${meant === undefined ? '.' : `; did you mean ${meant}?`}`
  }
  if (issue === undefined || field === '') return 'the parameters must be an object.'
  return `${field} ${whatIsWrong(issue, valueAt(raw, issue.path))}.`
}

const OF_MISSING = new Set<Issue['code']>(['invalid_type', 'invalid_value', 'invalid_union'])

function whatIsWrong(issue: Issue, value: unknown): string {
  if (value === undefined && OF_MISSING.has(issue.code)) return 'is missing'
  if (issue.code === 'invalid_type') return wrongType(issue.expected, value)
  if (issue.code === 'too_small') return tooSmall(issue)
  if (issue.code === 'too_big') return `must ${bounded(issue.origin, 'at most', issue.maximum)}`
  if (issue.code === 'invalid_value') return `must be ${oneOf(issue.values.map(String))}`
  // Zod's default messages start with "Invalid"; the schemas' own messages do not.
  return issue.message.startsWith('Invalid') ? 'is not valid' : issue.message
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function wrongType(expected: string, value: unknown): string {
  const wanted = TYPES[expected] ?? 'something else'
  return expected === 'int' ? `must be ${wanted}` : `must be ${wanted}, not ${typeName(value)}`
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'boolean') return String(value)
  return TYPES[Array.isArray(value) ? 'array' : typeof value] ?? 'that'
}

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  if (minimum === 1 && (origin === 'string' || origin === 'array')) return 'must not be empty'
  return `must ${bounded(origin, inclusive === false ? 'more than' : 'at least', minimum)}`
}

function bounded(origin: string, relation: string, bound: number | bigint): string {
  if (origin === 'string') return `have ${relation} ${bound} characters`
  return origin === 'array' ? `have ${relation} ${bound} entries` : `be ${relation} ${bound}`
}

const oneOf = (values: readonly string[]): string =>
  [values.slice(0, -1).join(', '), ...values.slice(-1)].filter((part) => part !== '').join(' or ')

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? value[key as keyof typeof value]
        : undefined,
    raw,
  )
}
