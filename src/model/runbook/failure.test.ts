import { expect, test } from 'vitest'
import { CATEGORIES, categoryIn, FAILURES } from './failure.ts'

test.each(CATEGORIES)('the category %s is read from its word', (category) => {
  expect(categoryIn(category)).toBe(category)
  expect(categoryIn(`error: ${category}: two tests fail`)).toBe(category)
})

test.each([
  ['Execution Error', 'execution'],
  ['prerequisite failure', 'prerequisite'],
  ['unexpected-result', 'unexpected'],
  ['inter-agent misalignment', 'misalignment'],
  [' error : ambiguity: which one', 'ambiguity'],
  ['findings: 3', 'findings'],
  ['executions', undefined],
  ['the execution failed', undefined],
  ['', undefined],
  ['toString', undefined],
])('the words %j name the category %s', (words, category) => {
  expect(categoryIn(words)).toBe(category)
})

test('a stronger model helps against what went wrong, and the user against what is missing or open', () => {
  const users = CATEGORIES.filter((one) => FAILURES[one].by === 'user')
  expect(users).toEqual(['prerequisite', 'ambiguity'])
})
