import { nearest } from './text/nearest.ts'
import { listed, quoted } from './text/line.ts'

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const
export type ResultType = (typeof TYPES)[number]

type Scalar = string | number | boolean | null

/** The form of a result: the part of JSON Schema that is checked in full. */
export interface ResultSchema {
  readonly type?: ResultType | readonly ResultType[]
  readonly enum?: readonly Scalar[]
  readonly const?: Scalar
  readonly properties?: Readonly<Record<string, ResultSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: ResultSchema | boolean
  readonly items?: ResultSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly title?: string
  readonly description?: string
}

/** A part of a schema that cannot be checked, by the names that lead to it. */
export interface SchemaFault {
  readonly path: readonly string[]
  readonly message: string
}

const DEEPEST = 8
const LONGEST = 8000
const MOST_VALUES = 100

/** The types that a keyword says something about; other types would pass unseen. */
const ABOUT: Readonly<Record<string, readonly ResultType[]>> = {
  properties: ['object'],
  required: ['object'],
  additionalProperties: ['object'],
  items: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  minLength: ['string'],
  maxLength: ['string'],
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
}
const KNOWN = ['type', 'enum', 'const', ...Object.keys(ABOUT), 'title', 'description']
const LIMITS = [
  ['minItems', 'maxItems'],
  ['minLength', 'maxLength'],
  ['minimum', 'maximum'],
] as const

type Written = Readonly<Record<string, unknown>>
type Faults = readonly SchemaFault[]

/** What of a schema cannot be checked. One fault makes the whole schema none, because the rest would pass wrong results. */
export function schemaFaults(written: unknown): Faults {
  const { length } = JSON.stringify(written) ?? ''
  if (length > LONGEST) return [at([], `It has ${length} characters; the most are ${LONGEST}.`)]
  return faultsIn(written, [])
}

/** The schema of a skill; undefined if it has none that can be checked. */
export const resultSchemaIn = (written: unknown): ResultSchema | undefined =>
  written === undefined || schemaFaults(written).length > 0 ? undefined : (written as ResultSchema)

const at = (path: readonly string[], message: string): SchemaFault => ({ path, message })

function faultsIn(written: unknown, path: readonly string[]): Faults {
  if (!isRecord(written))
    return [at(path, 'It must be a map such as {type: object, properties: {url: {type: string}}}.')]
  if (path.length > DEEPEST * 2) return [at(path, `It is nested more than ${DEEPEST} levels deep.`)]
  const found = [
    ...typeFaults(written),
    ...Object.keys(written).flatMap((key) => keywordFaults(key, typesOf(written))),
    ...valueFaults(written),
    ...LIMITS.flatMap((names) => limitFaults(written, names)),
    ...requiredFaults(written),
    ...['title', 'description']
      .filter((key) => written[key] !== undefined && typeof written[key] !== 'string')
      .map((key) => at([key], `${key} must be a string.`)),
  ]
  return [...found.map((fault) => at([...path, ...fault.path], fault.message)), ...faultsBelow(written, path)]
}

function faultsBelow(written: Written, path: readonly string[]): Faults {
  const { properties, items, additionalProperties: others } = written
  const inner = (key: string, one: unknown) => (one === undefined ? [] : faultsIn(one, [...path, key]))
  return [
    ...(properties === undefined
      ? []
      : isRecord(properties)
        ? Object.entries(properties).flatMap(([name, one]) => faultsIn(one, [...path, 'properties', name]))
        : [at([...path, 'properties'], 'properties must be a map of schemas by name.')]),
    ...inner('items', items),
    ...(typeof others === 'boolean' ? [] : inner('additionalProperties', others)),
  ]
}

/** The types that a schema allows; enum and const imply theirs. */
export function typesOf({ type, enum: many, const: one }: Written | ResultSchema): readonly ResultType[] {
  if (type !== undefined) {
    const names: readonly unknown[] = Array.isArray(type) ? type : [type]
    return TYPES.filter((known) => names.includes(known))
  }
  const values: readonly unknown[] = one !== undefined ? [one] : Array.isArray(many) ? many : []
  return [...new Set(values.flatMap(typeOf))]
}

function typeFaults({ type, ...rest }: Written): Faults {
  if (type === undefined)
    return rest['enum'] === undefined && rest['const'] === undefined ? [at([], 'It needs a type.')] : []
  const names: readonly unknown[] = Array.isArray(type) ? type : [type]
  const wrong = names.find((name) => !TYPES.some((known) => known === name))
  if (names.length > 0 && wrong === undefined) return []
  const given = names.length === 0 ? 'an empty list' : shown(wrong)
  return [at(['type'], `type must be one of ${TYPES.join(', ')}, not ${given}.`)]
}

function keywordFaults(key: string, types: readonly ResultType[]): Faults {
  if (!KNOWN.includes(key)) {
    const [meant] = nearest(key, KNOWN)
    const instead = meant === undefined ? `Use only ${KNOWN.join(', ')}.` : `Did you mean ${meant}?`
    return [at([key], `${quoted(key, 100)} is not checked. ${instead}`)]
  }
  const about = ABOUT[key] ?? TYPES
  const isIdle = types.length > 0 && !about.some((type) => types.includes(type))
  return isIdle ? [at([key], `${key} needs type ${about.join(' or ')}.`)] : []
}

function valueFaults(written: Written): Faults {
  const { enum: many, const: one } = written
  if (many === undefined && one === undefined) return []
  if (many !== undefined && one !== undefined) return [at(['enum'], 'It has both enum and const.')]
  const key = many === undefined ? 'const' : 'enum'
  const values: readonly unknown[] = many === undefined ? [one] : Array.isArray(many) ? many : []
  if (values.length === 0 || values.length > MOST_VALUES)
    return [at([key], `enum must be a list of 1 to ${MOST_VALUES} values.`)]
  const types = typesOf(written)
  return values
    .filter((value) => !isScalar(value) || !typeOf(value).some((type) => types.includes(type)))
    .slice(0, 1)
    .map((value) =>
      at([key], `${key} may hold only text, numbers, true, false and null of its type, not ${shown(value)}.`),
    )
}

function limitFaults(written: Written, [min, max]: (typeof LIMITS)[number]): Faults {
  const faults = [min, max].flatMap((key) => {
    const value = written[key]
    const isCount = key.endsWith('imum') || (Number.isInteger(value) && Number(value) >= 0)
    if (value === undefined || (Number.isFinite(value) && isCount)) return []
    return [at([key], `${key} must be ${key.endsWith('imum') ? 'a number' : 'a whole number from 0'}.`)]
  })
  if (faults.length > 0 || written[min] === undefined || written[max] === undefined) return faults
  return Number(written[min]) > Number(written[max]) ? [at([min], `${min} is more than ${max}.`)] : []
}

/** A required name that no property has is a misspelt one. */
function requiredFaults({ required, properties }: Written): Faults {
  if (required === undefined) return []
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string'))
    return [at(['required'], 'required must be a list of names.')]
  const known = isRecord(properties) ? properties : {}
  const missing = required.filter((name) => !Object.hasOwn(known, name)).map((name) => quoted(name))
  return missing.length === 0
    ? []
    : [at(['required'], `required names ${listed(missing, 200)}, but properties does not.`)]
}

/** The types of a value; a whole number has two. */
export function typeOf(value: unknown): readonly ResultType[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number']
  return TYPES.filter((type) => type === typeof value)
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)

/** True for a JSON object. */
export const isRecord = (value: unknown): value is Written =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const shown = (value: unknown): string => quoted(JSON.stringify(value) ?? 'nothing', 60)
