import { isTime } from '../src/model/text/time.ts'

/**
 * Values from outside, by key: skills, proof, handover notes, client settings, ledger payloads, JSON Schema. Their
 * names are not ours.
 */
const FOREIGN = new Set([
  'claim',
  'dehydration',
  'dehydration_payload',
  'diff',
  'engine',
  'evidence',
  'fields',
  'metadata',
  'modes',
  'params',
  'payload',
  'phases',
  'plan',
  'proof',
  'templates',
])

/** A duration or a share, which is neither a count nor a time. */
const FOR_PEOPLE = /^(?:in )?\d+(?:\.\d+)? ?(?:ms|s|min|h|d|%)(?: ago)?$/
const YES_OR_NO = /^(?:yes|no|on|off|true|false)$/i
/** Columns with booleans. */
const TRUTH =
  /^(?:is|has|ok|pass|done|valid|stale|entered|session_gate|enforceable|truncated|running|optional)(?:_|$)/

/** The faults of an answer for programs: foreign names, untyped values, varying shapes. */
export function faultsOf(value: unknown, at: string): readonly string[] {
  if (Array.isArray(value))
    return [...shapesIn(value, at), ...value.flatMap((one) => faultsOf(one, `${at}[]`))]
  if (typeof value === 'string')
    return FOR_PEOPLE.test(value) || YES_OR_NO.test(value) ? [`${at} is ${value}`] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => [
    ...(/^[a-z][a-z0-9_]*$/.test(key) ? [] : [`${at}.${key} is not in snake_case`]),
    // Counts by state are named after the states.
    ...(TRUTH.test(key) && !at.endsWith('.counts') && (part === 0 || part === 1)
      ? [`${at}.${key} is ${part}, not a boolean`]
      : []),
    ...(/(?:_at|^time|^at)$/.test(key) && typeof part === 'string' && !isTime(part)
      ? [`${at}.${key} is no time`]
      : []),
    ...(FOREIGN.has(key) ? [] : faultsOf(part, `${at}.${key}`)),
  ])
}

/** The empty texts of an answer that should be null. */
export function emptiesOf(value: unknown, at: string): readonly string[] {
  // A command without arguments has an empty usage.
  if (value === '') return at.endsWith('.usage') ? [] : [`${at} is empty, not null`]
  if (Array.isArray(value)) return value.flatMap((one) => emptiesOf(one, `${at}[]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    FOREIGN.has(key) ? [] : emptiesOf(part, `${at}.${key}`),
  )
}

/** Missing values are null, so that all entries of a list have the same names. */
function shapesIn(list: readonly unknown[], at: string): readonly string[] {
  const shapes = list.map((one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.keys(one).toSorted().join(' ')
      : '',
  )
  const [first, other] = [...new Set(shapes)]
  return other === undefined ? [] : [`${at} has entries with ${first}, and with ${other}`]
}
