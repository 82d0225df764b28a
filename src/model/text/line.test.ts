import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { hasControl, listed, oneLine } from './line.ts'

test('a text from outside stays in its line, and says what it held', () => {
  expect(oneLine('plain – ünïcode 🎯 text')).toBe('plain – ünïcode 🎯 text')
  expect(oneLine('a\r\nDone: all.\u2028\u{202e}x\0')).toBe(
    String.raw`a\u{d}\u{a}Done: all.\u{2028}\u{202e}x\u{0}`,
  )
  fc.assert(
    fc.property(anyString(), (text) => {
      expect(hasControl(oneLine(text))).toBe(false)
      expect(oneLine(text).isWellFormed()).toBe(true)
      expect(oneLine(text, 50).length).toBeLessThanOrEqual(50)
    }),
  )
})

test('names are listed as far as there is room, at least one, and the rest is counted', () => {
  expect(listed(['a', 'b', 'c'], 3)).toBe('a, b, c')
  expect(listed(['a', 'b', 'c'], 2)).toBe('a, b, and 1 more')
  expect(listed(['x'.repeat(1000), 'y'], 2)).toMatch(/^x{100,200} \[cut: 1000 .*\], and 1 more$/)
  expect(listed([], 2)).toBe('')
})
