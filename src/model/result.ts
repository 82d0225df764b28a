import type { Effort } from './effort.ts'
import { CHOICE, RESULT, UNFILLED } from './plan/action-words.ts'
import { isRecord, type ResultSchema, typeOf, typesOf } from './result-schema.ts'
import { shellWord } from './shell/word.ts'
import { isBlank, listed, oneLine, quoted } from './text/line.ts'

/** The form of the result that an effort still owes; the only place that decides. */
export const owedResult = (
  { resultSchema }: { readonly resultSchema?: ResultSchema | undefined },
  effort: Pick<Effort, 'result'> | undefined,
): ResultSchema | undefined => (effort?.result == null ? resultSchema : undefined)

/** The command that finishes an effort, with the result that it owes. */
export const finishCommand = (id: number, owed?: ResultSchema, given?: unknown): string =>
  `holdfast effort finish ${id}${owed === undefined ? '' : `${RESULT}${shellWord(JSON.stringify(fitted(owed, given)))}`}`

/** A fault of a result: the field, and what is wrong with it. */
export interface ResultFault {
  readonly field: string
  readonly message: string
}

/** What a result must have, as a sentence. */
export const formText = (schema: ResultSchema): string => `Its skill ends with a result: ${formOf(schema)}.`

function formOf(schema: ResultSchema): string {
  const { properties = {}, required = [] } = schema
  const names = Object.entries(properties).map(([name, one]) => {
    const optional = required.includes(name) ? '' : ', optional'
    return `${quoted(name, LONGEST_NAME)} (${kindOf(one)}${optional})`
  })
  return names.length === 0 ? kindOf(schema) : listed(names, ROOM)
}

function kindOf(schema: ResultSchema): string {
  const values = valuesOf(schema)
  if (values === undefined) return typesOf(schema).join(' or ')
  return values.map((value) => JSON.stringify(value)).join(' or ')
}

/** The values of a form that takes only some; undefined for any other. */
function valuesOf(schema: ResultSchema): readonly unknown[] | undefined {
  if (schema.const !== undefined) return [schema.const]
  const types = typesOf(schema)
  return schema.enum ?? (types.length === 1 && types[0] === 'boolean' ? [true, false] : undefined)
}

/** What is wrong with a result; nothing if it fits. */
export const resultFaults = (schema: ResultSchema, result: unknown): readonly ResultFault[] =>
  faultsIn(schema, result, 'result')

/** The same as a sentence. */
export const faultsText = (faults: readonly ResultFault[]): string =>
  `${listed(
    faults.map(({ field, message }) => `${field} ${message}`),
    ROOM,
  )}.`

const ROOM = 400

function faultsIn(schema: ResultSchema, value: unknown, field: string): readonly ResultFault[] {
  const why = valuesOf(schema) === undefined ? typeFault(schema, value) : listFault(schema, value)
  if (why !== undefined) return [{ field, message: why }]
  const { items } = schema
  if (Array.isArray(value) && items !== undefined)
    return value.flatMap((one, index) => faultsIn(items, one, `${field}[${index}]`))
  return isRecord(value) ? fieldFaults(schema, value, field) : []
}

function typeFault(schema: ResultSchema, value: unknown): string | undefined {
  const types = typesOf(schema)
  if (typeOf(value).some((type) => types.includes(type))) return limitFault(schema, value)
  return `must be ${types.join(' or ')}, not ${typeOf(value)[0] ?? 'nothing'}`
}

function listFault(schema: ResultSchema, value: unknown): string | undefined {
  if (valuesOf(schema)?.includes(value) === true) return undefined
  return `must be ${kindOf(schema)}, not ${oneLine(JSON.stringify(value), LONGEST_NAME)}`
}

/** Limits count characters of a text and items of a list; a blank that we told is no text. */
function limitFault(schema: ResultSchema, value: unknown): string | undefined {
  if (typeof value === 'number') return beyond(value, '', schema.minimum, schema.maximum)
  if (Array.isArray(value)) return beyond(value.length, ' items', schema.minItems, schema.maxItems)
  if (typeof value !== 'string') return undefined
  if (value.includes('_') && isBlank(value)) return 'is a blank that must be filled in'
  return beyond(value.match(/./gsu)?.length ?? 0, ' characters', schema.minLength, schema.maxLength)
}

function beyond(size: number, unit: string, least = -Infinity, most = Infinity): string | undefined {
  if (size < least) return `must be at least ${least}${unit}, not ${size}`
  return size > most ? `must be at most ${most}${unit}, not ${size}` : undefined
}

const LONGEST_NAME = 60

function fieldFaults(
  { properties = {}, required = [], additionalProperties: others = true }: ResultSchema,
  value: Readonly<Record<string, unknown>>,
  field: string,
): readonly ResultFault[] {
  const below = (name: string) => `${field}.${oneLine(name, LONGEST_NAME)}`
  const missing = required.filter((name) => !Object.hasOwn(value, name))
  return [
    ...missing.map((name) => ({ field: below(name), message: 'is missing' })),
    ...Object.entries(value).flatMap(([name, one]) => {
      const own = (Object.hasOwn(properties, name) ? properties[name] : others) ?? true
      if (own === false) return [{ field: below(name), message: 'is not a field of this result' }]
      return own === true ? [] : faultsIn(own, one, below(name))
    }),
  ]
}

/** A result that fits once its blanks are filled in and its choices made; it keeps what fits of a given one. */
export function fitted(schema: ResultSchema, given?: unknown): unknown {
  const types = typesOf(schema)
  const values = valuesOf(schema)
  if (values !== undefined) return values.includes(given) ? given : choiceBlank(values)
  const known = typeOf(given).find((one) => types.includes(one))
  const type = known ?? types.find((one) => one !== 'null') ?? 'null'
  if (type === 'object') return fittedFields(schema, isRecord(given) ? given : {})
  if (type === 'array') return fittedItems(schema, Array.isArray(given) ? given : [])
  if (given !== undefined && faultsIn(schema, given, '').length === 0) return given
  if (type === 'string') return UNFILLED.padEnd(schema.minLength ?? 0, '_').slice(0, schema.maxLength)
  if (type === 'boolean') return choiceBlank([true, false])
  return type === 'null' ? null : fittedNumber(schema, type)
}

/** The only value, or a blank that names all of them: an agent copies what it is told, so none may come first. */
const choiceBlank = (values: readonly unknown[]): unknown =>
  values.length === 1 ? values[0] : values.map(choiceText).join(CHOICE)

/** A text stands as it is, unless it could be read as another value. */
const choiceText = (value: unknown): string =>
  typeof value === 'string' && valueOfChoice(value) === value ? value : JSON.stringify(value)

/** The value that a choice of a told result stands for. */
export function valueOfChoice(choice: string): unknown {
  try {
    return JSON.parse(choice)
  } catch {
    return choice
  }
}

/** The number nearest to zero. */
function fittedNumber({ minimum = -Infinity, maximum = Infinity }: ResultSchema, type: string): number {
  const round = type === 'integer' ? Math.ceil : Number
  return minimum > 0 ? round(minimum) : maximum < 0 ? (type === 'integer' ? Math.floor(maximum) : maximum) : 0
}

function fittedItems(
  { items, minItems = 0, maxItems }: ResultSchema,
  given: readonly unknown[],
): readonly unknown[] {
  const fit = (one: unknown) => (items === undefined ? (one ?? UNFILLED) : fitted(items, one))
  const kept = given.slice(0, maxItems)
  return Array.from({ length: Math.max(kept.length, minItems) }, (_, index) => fit(kept[index]))
}

function fittedFields(
  { properties = {}, required = [], additionalProperties: others = true }: ResultSchema,
  given: Readonly<Record<string, unknown>>,
): unknown {
  const own = Object.entries(properties).filter(
    ([name]) => required.includes(name) || Object.hasOwn(given, name),
  )
  const more = Object.entries(given).filter(([name]) => !Object.hasOwn(properties, name) && others !== false)
  return Object.fromEntries([
    ...own.map(([name, one]) => [name, fitted(one, Object.hasOwn(given, name) ? given[name] : undefined)]),
    ...more.map(([name, one]) => [name, others === true ? one : fitted(others as ResultSchema, one)]),
  ])
}

const LONGEST_RESULT = 16_000
const DEEPEST_RESULT = 16

/** Why the text of a result is refused before anybody parses it; undefined if it is short and flat enough. */
export function tooMuch(text: string): string | undefined {
  if (text.length > LONGEST_RESULT)
    return `has ${text.length} characters; the most are ${LONGEST_RESULT}. Put the rest into a file, and name that`
  let [depth, isText] = [0, false]
  for (let index = 0; index < text.length; index++) {
    const char = text[index]
    if (isText && char === '\\') index++
    else if (char === '"') isText = !isText
    else if (!isText && (char === '{' || char === '[')) depth++
    else if (!isText && (char === '}' || char === ']')) depth--
    if (depth > DEEPEST_RESULT) return `is nested more than ${DEEPEST_RESULT} levels deep`
  }
  return undefined
}

const SHORT = 300

/** A result in one line; a long one is cut. */
export const resultInShort = (result: unknown, limit = SHORT): string =>
  oneLine(JSON.stringify(result), limit)

/** What the next skill of a chain hears of the one before; undefined if that ended without a result. */
export function resultText(
  { id, skill, result }: Pick<Effort, 'id' | 'skill' | 'result'>,
  limit = SHORT,
): string | undefined {
  if (result == null) return undefined
  const isCut = JSON.stringify(result).length > limit
  const whole = isCut ? ` (cut; all of it: holdfast effort show ${id})` : ''
  return `Result of /${oneLine(skill)}: ${resultInShort(result, limit)}${whole}`
}
