import { expect, test } from 'vitest'
import { isDeep } from './exported.ts'

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

test.each([
  ['a text', 'x', false],
  ['nothing', null, false],
  ['as deep as a workflow may be', nested(31), false],
  ['one level deeper', nested(33), true],
  ['so deep that a walk would overflow', nested(5000), true],
])('%s', (_, value, expected) => expect(isDeep(value)).toBe(expected))
