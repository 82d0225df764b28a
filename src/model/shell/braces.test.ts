import { expect, test } from 'vitest'
import { braceValues } from './braces.ts'

test.each<[text: string, values: readonly (string | undefined)[]]>([
  ['{a,b}', ['a', 'b']],
  ['{a,}', ['a', '']],
  ['{a,b{c,d}e}', ['a', 'bce', 'bde']],
  ['{x/{a,b},{c,d}/y}', ['x/a', 'x/b', 'c/y', 'd/y']],
  ['{1..9}', ['*']],
  ['{a,{1..9}}', ['a', '*']],
  ['{a,b{c}}', ['a', 'b*']],
])('%s is %j', (text, values) => {
  expect(braceValues(text)).toEqual(values)
})

test.each(['{a\\,b,c}', `{${'a,'.repeat(64)}a}`, `{${'{a,b},'.repeat(40)}a}`, `{a,${'b'.repeat(5000)}}`])(
  'too much to work out is not known',
  (text) => {
    expect(braceValues(text)).toContain(undefined)
  },
)
