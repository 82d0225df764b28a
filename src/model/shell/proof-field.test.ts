import { expect, test } from 'vitest'
import { proofField, proofValue } from './proof-field.ts'

test.each([
  ['tests-pass', 'tests_pass'],
  ['testsPass', 'tests_pass'],
  ['mode', 'mode'],
  ['mod', undefined],
])('the flag --%s is the field %s', (flag, field) => {
  expect(proofField(flag, ['tests_pass', 'mode'])).toBe(field)
})

test.each([
  ['true', true],
  ['0', 0],
  ['[1]', [1]],
  ['{oops', '{oops'],
  ['2 blocks', '2 blocks'],
])('the value %s is %j', (text, value) => {
  expect(proofValue(text)).toEqual(value)
})
