import { expect, test } from 'vitest'
import { Pace } from './pace.ts'

test('a provider that asks to wait for years is asked again after ten minutes', () => {
  const pace = new Pace()
  pace.hold(99_999_999_000, 0)
  expect(pace.held(0)).toBe(600_000)
  expect(pace.held(600_000)).toBe(0)
})

test('a provider that asks to wait for half a minute is left alone as long', () => {
  const pace = new Pace()
  pace.hold(30_000, 0)
  expect(pace.take(undefined, 0)).toBe(30_000)
})
