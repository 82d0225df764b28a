import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyString } from '../../test/any-string.ts'
import { invocationsOf } from './invocation.ts'

test.each([
  ['/implement', [['implement', '', false]]],
  ['/implement the thing', [['implement', 'the thing', false]]],
  ['/code-review src/a.ts', [['code-review', 'src/a.ts', false]]],
  ['/ops:release v1', [['ops:release', 'v1', false]]],
  ['/speckit.plan\nwith care ', [['speckit.plan', 'with care', false]]],
  ['/größe', [['größe', '', false]]],
  ['/implement - the thing', [['implement', 'the thing', true]]],
  ['/implement -', [['implement', '', true]]],
  ['/implement --flag', [['implement', '--flag', false]]],
  ['/implement -x', [['implement', '-x', false]]],
  ['/implement [a, b], /c', [['implement', '[a, b], /c', false]]],
  [
    '/a /b do it',
    [
      ['a', '/b do it', false],
      ['b', 'do it', false],
    ],
  ],
  ['/a one /b two', [['a', 'one /b two', false]]],
  [' /implement', []],
  ['please /implement', []],
  ['/', []],
  ['/ implement', []],
  ['/usr/bin/env is broken', []],
  ['/implement. Then rest.', []],
  ['/implement, please', []],
  ['//implement', []],
  ['', []],
] as const)('%j calls %j', (prompt, expected) => {
  expect(invocationsOf(prompt).map(({ name, args, quick }) => [name, args, quick])).toEqual(expected)
})

test('at most six are stacked; what follows belongs to the last', () => {
  const calls = invocationsOf('/a /b /c /d /e /f /g rest')
  expect(calls.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  expect(calls.at(-1)?.args).toBe('/g rest')
})

test('any text has its calls, and each stands at the beginning of what the one before it was given', () => {
  fc.assert(
    fc.property(anyString(), (text) => {
      for (const { name, args } of invocationsOf(`/${text}`)) {
        expect(text).toContain(name)
        expect(text).toContain(args)
      }
    }),
  )
})
