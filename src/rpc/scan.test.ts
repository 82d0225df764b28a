import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LIMITS, overLimit } from './scan.ts'

const scan = (text: string) => overLimit(Buffer.from(text), LIMITS)
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const wide = (keys: number) => `{${Array.from({ length: keys }, (_, index) => `"${index}":0`).join(',')}}`

describe('the limits of depth and width', () => {
  test.each([
    [63, undefined],
    [64, undefined],
    [65, 'depth'],
    [1_000_000, 'depth'],
  ])('%i levels: %s', (depth, expected) => {
    expect(scan(nested(depth))).toBe(expected)
    expect(scan('{"a":'.repeat(depth))).toBe(expected)
  })

  test.each([
    [9999, undefined],
    [10_000, undefined],
    [10_001, 'keys'],
  ])('%i keys: %s', (keys, expected) => {
    expect(scan(wide(keys))).toBe(expected)
  })

  test('closed levels do not count', () => {
    expect(scan(`[${'[[]],'.repeat(1000)}[]]`)).toBeUndefined()
  })

  test.each([
    ['brackets', JSON.stringify('['.repeat(100))],
    ['colons', JSON.stringify(':'.repeat(20_000))],
    ['quotes', JSON.stringify('"['.repeat(100))],
    ['backslashes before quotes', JSON.stringify('\\"['.repeat(100))],
    ['a backslash at its end', `[${'"\\\\",'.repeat(100)}"${'['.repeat(100)}"]`],
    ['no end', `"${'['.repeat(100)}`],
  ])('a text with %s is one value', (_, text) => {
    expect(scan(text)).toBeUndefined()
  })

  test('the count matches a parser, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(6), fc.nat(20), (value, depth, keys) => {
        const found = overLimit(Buffer.from(JSON.stringify(value)), { ...LIMITS, depth, keys })
        const isOver = { depth: depthOf(value) > depth, keys: keysOf(value) > keys }
        expect(found === undefined ? !isOver.depth && !isOver.keys : isOver[found]).toBe(true)
      }),
    )
  })
})

const partsOf = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...partsOf(value).map(depthOf)) : 0

const keysOf = (value: unknown): number =>
  (Array.isArray(value) ? 0 : partsOf(value).length) +
  partsOf(value).reduce((sum: number, part) => sum + keysOf(part), 0)
