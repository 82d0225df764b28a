import { describe, expect, test } from 'vitest'
import { fillIn } from './action-words.ts'
import { blankOf, faultsIn, fits, missingIn, startingCommand, wantedOf } from './fields.ts'
import type { Field } from './plan.ts'

const FIELDS = {
  topic: { type: 'text', required: true, description: 'What to decide.' },
  depth: { type: 'choice', choices: ['low', 'high'], default: 'low' },
  rounds: { type: 'number', min: 1, max: 5 },
  loud: { type: 'boolean' },
} as const satisfies Record<string, Field>

test.each([
  ['topic', 'anything at all', true],
  ['topic', '', true],
  ['topic', '____', false],
  ['topic', 'a form with ____ in it', true],
  ['depth', 'low', true],
  ['depth', 'Low', false],
  ['depth', 'low|high', false],
  ['rounds', '1', true],
  ['rounds', '5', true],
  ['rounds', '2.5', true],
  ['rounds', '0', false],
  ['rounds', '6', false],
  ['rounds', '', false],
  ['rounds', ' 2', false],
  ['rounds', '1e1', false],
  ['rounds', 'NaN', false],
  ['rounds', '____', false],
  ['loud', 'true', true],
  ['loud', 'false', true],
  ['loud', 'yes', false],
] as const)('%s=%j fits: %s', (name, value, expected) => {
  expect(fits(FIELDS[name], value)).toBe(expected)
})

test.each([
  [{ type: 'text' }, 'a text', '____'],
  [{ type: 'boolean' }, 'true or false', 'true|false'],
  [{ type: 'choice', choices: ['a', 'b'] }, 'one of a, b', 'a|b'],
  [{ type: 'number' }, 'a number', '____'],
  [{ type: 'number', min: 1 }, 'a number of at least 1', '____'],
  [{ type: 'number', max: 9 }, 'a number of at most 9', '____'],
  [{ type: 'number', min: 0, max: 9 }, 'a number from 0 to 9', '____'],
] as const)('%j must be %s, and its blank is %s', (field, wanted, blank) => {
  expect([wantedOf(field), blankOf(field)]).toEqual([wanted, blank])
  expect(fits(field, blank)).toBe(false)
})

describe('the faults of values', () => {
  test('say what is wanted, and what was meant', () => {
    expect(faultsIn(FIELDS, { depth: 'deep', rounds: '9', dept: 'low', other: '1', topic: 'x' })).toEqual([
      'depth must be one of low, high, not "deep".',
      'rounds must be a number from 1 to 5, not "9".',
      'There is no value "dept"; did you mean depth?',
      'There is no value "other". It has: topic, depth, rounds, loud.',
    ])
    expect(faultsIn({}, { a: '1' })).toEqual(['There is no value "a". It takes none.'])
  })

  test('do not take names of inherited properties for fields', () => {
    expect(faultsIn(FIELDS, { toString: '1', constructor: '1' })).toHaveLength(2)
  })
})

test('only a required field without a value is missing', () => {
  expect(missingIn(FIELDS, { depth: '' })).toEqual(['topic'])
  expect(missingIn(FIELDS, { topic: 'x' })).toEqual([])
})

test('the command that begins a workflow names what is given, and has a blank for what is wrong or missing', () => {
  const command = (values: Readonly<Record<string, string>>) => startingCommand('decide', FIELDS, values)
  expect(command({ depth: 'low' })).toBe('holdfast step decide --param topic=____')
  expect(command({ topic: "it's", depth: 'deep', loud: 'true' })).toBe(
    `holdfast step decide --param 'topic=it'\\''s' --param 'depth=low|high' --param loud=true`,
  )
  expect(startingCommand('decide', FIELDS, {}, 4)).toBe('holdfast step decide --effort 4 --param topic=____')
  expect(fillIn([command({})])).toEqual(['Write the value in place of what stands after =.'])
  expect(fillIn([command({ topic: 'x', rounds: '9' })])).toHaveLength(1)
  expect(fillIn([command({ topic: 'x' })])).toEqual([])
})
