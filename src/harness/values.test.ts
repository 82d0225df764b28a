import { expect, test } from 'vitest'
import { planOf, step } from '../model/plan/case.contract.ts'
import { exampleOf, filledIn, valuesFor } from './values.ts'

const FIELDS = {
  confidence: { type: 'choice', choices: ['low', 'high'] },
  depth: { type: 'number', min: 2, max: 5 },
  note: { type: 'text' },
} as const

const look = step('look', {
  decides: [{ when: { confidence: ['high'] }, outcome: 'ok' }, { outcome: 'again' }],
})
const plan = planOf([look], { state: FIELDS })

test.each([
  ['ok', { confidence: 'high' }],
  ['again', { confidence: 'low' }],
  ['never', undefined],
])('the values for the outcome %s', (outcome, values) =>
  expect(valuesFor(plan, look, outcome)).toEqual(values),
)

test('a blank leads nowhere, because no command takes it', () => {
  const asks = step('asks', { decides: [{ when: { note: '' }, outcome: 'again' }, { outcome: 'ok' }] })
  expect(valuesFor(plan, asks, 'again')).toBeUndefined()
  expect(valuesFor(plan, asks, 'ok')).toEqual({ note: 'an example' })
})

test('values that are fixed stay', () =>
  expect(valuesFor(plan, look, 'ok', { confidence: 'low' })).toBeUndefined())

test.each([
  [{ type: 'choice', choices: ['a', 'b'] }, 'a'],
  [{ type: 'choice', choices: ['a', 'b'], default: 'b' }, 'b'],
  [{ type: 'number', min: 3 }, '3'],
  [{ type: 'number' }, '1'],
  [{ type: 'boolean' }, 'true'],
  [{ type: 'text' }, 'an example'],
] as const)('%j takes %j', (field, value) => expect(exampleOf(field)).toBe(value))

test('every blank of a command is filled in, with what is wanted', () => {
  const command =
    "holdfast prove x && holdfast step done a --set 'confidence=low|high' --set note=____ --effort 2"
  expect(filledIn(command, FIELDS, { confidence: 'high' })).toBe(
    "holdfast prove x && holdfast step done a --set confidence=high --set 'note=an example' --effort 2",
  )
})

test('a blank of a result keeps its length', () => {
  const command = `holdfast effort finish 2 --result '{"the_url":"______"}'`
  expect(filledIn(command, FIELDS, {})).toBe(`holdfast effort finish 2 --result '{"the_url":"xxxxxx"}'`)
})

test('of the choices of a result, the first is taken', () => {
  const told = String.raw`{"tier":"direct|delegated","passed":"true|false","size":"\"1\"|1","url":"____"}`
  expect(filledIn(`holdfast effort finish 2 --result '${told}'`, FIELDS, {})).toBe(
    `holdfast effort finish 2 --result '{"tier":"direct","passed":true,"size":"1","url":"xxxx"}'`,
  )
})
