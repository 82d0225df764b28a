import { expect, test } from 'vitest'
import { returnedBy } from './returned.ts'

const dispatch = { count: 3, join: 2, returns: ['result', 'report'] }
const review = { name: 'R', gate: 'g' }
const said = (state: 'running' | 'ok' | 'fail', result: string, report = '') => ({
  state,
  values: { result, report },
})

test.each([
  ['the first that says something counts', {}, { 2: said('ok', 'b'), 1: said('ok', '', 'x') }, 'b', 'x'],
  ['one that failed or goes on says nothing', {}, { 1: said('fail', 'a'), 2: said('running', 'b') }, '', ''],
  [
    'a review passes if all pass',
    { review },
    { 1: said('ok', 'pass', 'x'), 2: said('ok', 'pass') },
    'pass',
    'x',
  ],
  [
    'a failed review counts',
    { review },
    { 1: said('ok', 'pass', 'x'), 2: said('ok', 'fail', 'y') },
    'fail',
    'y',
  ],
  ['so does one that says nothing', { review }, { 1: said('ok', 'pass', 'x'), 2: said('ok', '') }, '', ''],
  ['nobody has returned yet', { review }, {}, '', ''],
])('of several sub-agents, %s', (_, more, children, result, report) => {
  expect(returnedBy({ dispatch, ...more }, children)).toEqual({ result, report })
})

test('a step without sub-agents, or with some that return nothing, has no values', () => {
  expect(returnedBy({}, {})).toEqual({})
  expect(returnedBy({ dispatch: { count: 1, join: 1 } }, { 1: said('ok', 'a') })).toEqual({})
})
