import { isTime } from '../src/model/text/time.ts'

/**
 * What others wrote, by the key that holds it: skills, proofs, notes of agents, settings of clients, entries of the
 * ledger, JSON Schema. Their names, and what they leave out, are theirs.
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

/** A length of time, or a share, where a number or a moment is meant. */
const FOR_PEOPLE = /^(?:in )?\d+(?:\.\d+)? ?(?:ms|s|min|h|d|%)(?: ago)?$/
const YES_OR_NO = /^(?:yes|no|on|off|true|false)$/i
/** Columns that hold a truth. */
const TRUTH =
  /^(?:is|has|ok|pass|done|valid|stale|entered|session_gate|enforceable|truncated|running|optional)(?:_|$)/

/** What is wrong with an answer that programs read: names that are not ours, values without a type, shapes that vary. */
export function faultsOf(value: unknown, at: string): readonly string[] {
  if (Array.isArray(value))
    return [...shapesIn(value, at), ...value.flatMap((one) => faultsOf(one, `${at}[]`))]
  if (typeof value === 'string')
    return FOR_PEOPLE.test(value) || YES_OR_NO.test(value) ? [`${at} is ${value}`] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => [
    ...(/^[a-z][a-z0-9_]*$/.test(key) ? [] : [`${at}.${key} is not in snake_case`]),
    ...(TRUTH.test(key) && (part === 0 || part === 1) ? [`${at}.${key} is ${part}, not a boolean`] : []),
    ...(/(?:_at|^time|^at)$/.test(key) && typeof part === 'string' && !isTime(part)
      ? [`${at}.${key} is no time`]
      : []),
    ...(FOREIGN.has(key) ? [] : faultsOf(part, `${at}.${key}`)),
  ])
}

/** What is absent is null, so that every entry of a list has the same names. */
function shapesIn(list: readonly unknown[], at: string): readonly string[] {
  const shapes = list.map((one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.keys(one).toSorted().join(' ')
      : '',
  )
  const [first, other] = [...new Set(shapes)]
  return other === undefined ? [] : [`${at} has entries with ${first}, and with ${other}`]
}
