import { expect, test } from 'vitest'
import { clockTime, duration, isTime, relativeLines, relativeTime } from './time.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

test.each([
  [0, '0 s'],
  [-5 * SECOND, '0 s'],
  [499, '0 s'],
  [500, '1 s'],
  [59 * SECOND, '59 s'],
  [MINUTE - 501, '59 s'],
  [MINUTE - 500, '1 min'],
  [MINUTE, '1 min'],
  [2 * MINUTE - 501, '1 min'],
  [59 * MINUTE + 59 * SECOND, '59 min'],
  [HOUR - 500, '1 h'],
  [HOUR, '1 h'],
  [24 * HOUR - 501, '23 h'],
  [24 * HOUR - 500, '1 d'],
  [DAY, '1 d'],
  [2 * DAY - SECOND, '1 d'],
  [2 * DAY, '2 d'],
  [1000 * DAY, '1000 d'],
])('%i ms are %s', (milliseconds, text) => expect(duration(milliseconds)).toBe(text))

test.each([
  [0, '0 s ago'],
  [499, '0 s ago'],
  [500, '1 s ago'],
  [59 * SECOND, '59 s ago'],
  [MINUTE, '1 min ago'],
  [HOUR - SECOND, '59 min ago'],
  [HOUR, '1 h ago'],
  [DAY - SECOND, '23 h ago'],
  [DAY, '1 d ago'],
  // The clock of another machine may be a little ahead.
  [-499, '0 s ago'],
  [-501, 'in 1 s'],
  [-59 * SECOND, 'in 59 s'],
  [-MINUTE, 'in 1 min'],
  [-(HOUR - SECOND), 'in 59 min'],
  [-HOUR, 'in 1 h'],
  [-(DAY - SECOND), 'in 23 h'],
  [-DAY, 'in 1 d'],
])('what was %i ms ago is %s', (passed, text) => {
  expect(relativeTime(new Date(NOW - passed).toISOString(), NOW)).toBe(text)
})

test.each([
  ['2026-03-01T12:00:00.000Z', true],
  ['2026-03-01T12:00:00Z', true],
  ['2026-03-01', false],
  ['at 2026-03-01T12:00:00.000Z', false],
  ['', false],
])('%j is a time: %s', (text, expected) => expect(isTime(text)).toBe(expected))

test('lines that begin with a time are told by how long ago that was', () => {
  const text = '2026-03-01T11:59:00.000Z step.visited a\nAt 2026-03-01T11:59:00.000Z it began'
  expect(relativeLines(text, NOW)).toBe('1 min ago: step.visited a\nAt 2026-03-01T11:59:00.000Z it began')
})

test('what is no time is shown as it is', () => {
  expect([relativeTime('soon'), clockTime('soon')]).toEqual(['soon', 'soon'])
})

test('a line that stays on the screen has the time of day', () => {
  expect(clockTime(new Date(2026, 2, 1, 9, 5, 7).toISOString())).toBe('09:05:07')
})
