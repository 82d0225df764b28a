import { expect, test } from 'vitest'
import { patternsOf } from './patterns.ts'

test.each([
  ['src/**, lib', ['src/**', 'lib']],
  [
    ['src/**', '!**/*.test.*'],
    ['src/**', '!**/*.test.*'],
  ],
  [['!docs/**'], undefined],
  [['src', '!'], undefined],
  [['src', '!!x'], undefined],
  [['src', '!/etc'], undefined],
  [['src', '!~/x'], undefined],
  [['src', '!../x'], undefined],
  [['/etc'], undefined],
  [[], undefined],
  ['3', undefined],
])('%j gives the patterns %j', (value, patterns) => {
  expect(patternsOf(value)).toEqual(patterns)
})
