import { fits, wantedOf } from '../../../model/plan/fields.ts'
import type { Field } from '../../../model/plan/plan.ts'
import { isVariableName } from '../../../model/plan/step-fields.ts'
import { given, oneLine, TITLE } from '../../text/typed-fields.ts'
import { isRecord } from '../../text/values.ts'
import { type At, readerAt, tell } from './at.ts'
import { ANYTHING, FLAG, listOf, NUMBER, oneOf, RECORD, valueText } from './kinds.ts'

const FIELD_KEYS = ['type', 'description', 'default', 'required', 'min', 'max', 'choices']
const MOST_FIELDS = 100
const MOST_CHOICES = 100

/** The only type of fields that may have these. */
const ONLY_FOR = { min: 'number', max: 'number', choices: 'choice' } as const

const TYPE = oneOf('text', 'number', 'boolean', 'choice')
const CHOICES = listOf('choices', MOST_CHOICES)

/** The declared values of a workflow: what it is given, or what it keeps. */
export function readFields(
  value: unknown,
  whose: 'params' | 'state',
  at: At,
): Readonly<Record<string, Field>> | undefined {
  if (value === undefined) return undefined
  if (!RECORD.is(value)) {
    tell(at, `${at.name}: ${whose} must be values by name, not ${given(value)}.`)
    return undefined
  }
  const entries = Object.entries(value)
  if (entries.length > MOST_FIELDS)
    tell(at, `${at.name} has ${entries.length} ${whose}; the most are ${MOST_FIELDS}.`)
  const read = entries.slice(0, MOST_FIELDS).flatMap(([name, written]) => {
    const place = at.places.field(name, at.place)
    if (!isVariableName(name)) {
      tell(at, `${at.name}: ${whose} has ${given(name)}, which is no name: write letters, digits, - and _.`)
      return []
    }
    const field = readField(written, { ...at, place, name: `${whose}.${name}` })
    return field === undefined ? [] : [[name, field] as const]
  })
  return Object.fromEntries(read)
}

function readField(value: unknown, at: At): Field | undefined {
  const fields = readerAt(at, value, FIELD_KEYS)
  const type = fields.must('type', TYPE)
  const description = fields.may('description', TITLE)
  const required = fields.may('required', FLAG)
  const [min, max] = [fields.may('min', NUMBER), fields.may('max', NUMBER)]
  const choices = choicesOf(fields.may('choices', CHOICES), at)
  if (type === undefined) return undefined
  for (const [key, only] of Object.entries(ONLY_FOR))
    if (only !== type && isRecord(value) && value[key] !== undefined)
      tell(at, `${at.name} is a ${type}, so it has no ${key}.`)
  if (type === 'choice' && choices === undefined) tell(at, `${at.name} is a choice, but has no choices.`)
  if (min !== undefined && max !== undefined && min > max)
    tell(at, `${at.name}: min ${min} is above max ${max}.`)
  const field: Field = {
    type,
    ...(description !== undefined && { description: oneLine(description) }),
    ...(required !== undefined && { required }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(choices !== undefined && { choices }),
  }
  const fallback = defaultOf(fields.may('default', ANYTHING), field, at)
  return fallback === undefined ? field : { ...field, default: fallback }
}

/** A default of the type that its field says; a text that looks like a number is none. */
function defaultOf(value: unknown, field: Field, at: At): string | undefined {
  if (value === undefined) return undefined
  const kind = field.type === 'number' || field.type === 'boolean' ? field.type : 'string'
  const text = typeof value === kind ? valueText(value) : undefined
  if (text !== undefined && fits(field, text)) return text
  tell(at, `${at.name}: default must be ${wantedOf(field)}, not ${given(value)}.`)
  return undefined
}

function choicesOf(written: readonly unknown[] | undefined, at: At): readonly string[] | undefined {
  if (written === undefined) return undefined
  const texts = Array.from(written).filter((one) => TITLE.is(one))
  if (texts.length === written.length && new Set(texts).size === texts.length) return texts
  tell(at, `${at.name}: choices must be different non-empty strings.`)
  return undefined
}
