import { expect, test } from 'vitest'
import { unquoted } from './unquoted.ts'

test.each([
  ['a `b c` d', 'a ..... d'],
  ['a ``b ` c`` d', 'a ......... d'],
  ['say "b c" now', 'say ..... now'],
  ['say “b c” now', 'say ..... now'],
  ["say 'b c' now", 'say ..... now'],
  ["don't say it's so", "don't say it's so"],
  ['a 5" board and a 6" one', 'a 5" board and a 6" one'],
  ['an "open quote', 'an "open quote'],
  ['a\n```sh\nb c\n```\nd', 'a\n.....\n...\n...\nd'],
  ['> b c\nd', '.....\nd'],
])('hides code and quotes: %j', (text, left) => {
  expect(unquoted(text).replaceAll('\0', '.')).toBe(left)
})

test('takes linear time for unbalanced marks', () => {
  for (const mark of ['`', '"', "'", '` ', "' ", '“'])
    expect(unquoted(mark.repeat(100_000))).toHaveLength(mark.length * 100_000)
})
