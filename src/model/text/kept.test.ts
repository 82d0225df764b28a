import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { cutTo, keptJson, keptText } from './kept.ts'

test('a text that fits stays as it is; a longer one says that it was cut', () => {
  expect(cutTo('abc', 3)).toBe('abc')
  expect(cutTo('x'.repeat(101), 100)).toMatch(/^x+ \[cut: 101 characters were too many\]$/)
})

test('no text is longer than it may be, or half a character', () => {
  fc.assert(
    fc.property(anyString(), fc.integer({ min: 50, max: 200 }), (text, limit) => {
      const long = text.repeat(20)
      expect(cutTo(long, limit).length).toBeLessThanOrEqual(limit)
      const kept = keptText(long, limit)
      expect(kept.isWellFormed()).toBe(true)
      expect(kept).not.toContain('\0')
    }),
  )
})

test('a small value is kept as it is', () => {
  const value = { command: 'ls', n: 0, flag: false, none: null, list: [1, { a: 'b' }] }
  expect(keptJson(value)).toEqual(value)
})

test('what is deep, wide or long is kept in part', () => {
  const deep = Array.from({ length: 10_000 }).reduce<unknown>((inner) => ({ inner }), 1)
  const wide = Array.from({ length: 10_000 }, (_, index) => index)
  const kept = JSON.stringify(keptJson({ deep, wide, long: 'x'.repeat(1_000_000) }))
  expect(kept.length).toBeLessThan(10_000)
})

test('fields with strange names stay fields', () => {
  const kept = keptJson(JSON.parse('{"__proto__": {"a": 1}, "b\\u0000": 2}'))
  expect(JSON.stringify(kept)).toBe('{"__proto__":{"a":1},"b\u{fffd}":2}')
})
