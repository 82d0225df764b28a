import { expect, test } from 'vitest'
import { ServerClock } from './server-clock.ts'

const MINUTE = 60_000

type Measurement = readonly [asked: number, server: number, answered: number]

/** The difference after measurements, each with its own way to the server and back. */
function after(measurements: readonly Measurement[]): number {
  const clock = new ServerClock()
  for (const [asked, server, answered] of measurements) clock.measured({ asked, server, answered })
  return clock.ahead
}

test.each<[string, readonly Measurement[], number]>([
  ['the same clock', [[1000, 1000.4, 1001]], 0],
  ['an answer that took long', [[0, 3000, 9000]], 0],
  ['a server that is ahead', [[0, 10 * MINUTE, 0]], 10 * MINUTE - 1],
  ['a server that is behind', [[10 * MINUTE, 0, 10 * MINUTE]], -10 * MINUTE],
  [
    'a good measurement before a poor one',
    [
      [0, 10 * MINUTE, 0],
      [MINUTE, 11 * MINUTE + 2000, MINUTE + 4000],
    ],
    10 * MINUTE - 1,
  ],
  [
    'a clock that jumped back to the right time',
    [
      [0, 10 * MINUTE, 0],
      [11 * MINUTE, 11 * MINUTE, 11 * MINUTE],
    ],
    0,
  ],
])('%s', (_, measurements, ahead) => {
  expect(after(measurements)).toBe(ahead)
})

test('a measurement is due at once, and then only now and then', () => {
  const clock = new ServerClock()
  expect([clock.isDue(), clock.isDue()]).toEqual([true, false])
})
