import { describe, expect, test } from 'vitest'
import { relevant } from './relevance.ts'

const known = (counts: Readonly<Record<string, number>>, pieces = 1000) => ({
  counts: new Map(Object.entries(counts)),
  pieces,
})
const isAbout = (has: readonly string[], words: readonly string[], of = known({})) =>
  relevant([{ has }], words, of).length === 1

describe('a piece is about a request', () => {
  test('if it has two of its words, with half of their weight', () => {
    const counts = known({ login: 5, password: 10 })
    expect(isAbout(['login', 'password'], ['reset', 'login', 'password'], counts)).toBe(true)
    expect(isAbout(['login'], ['login'], counts)).toBe(false)
    const many = ['dark', 'theme', 'settings', 'login', 'password']
    expect(isAbout(['login', 'password'], many, counts)).toBe(false)
  })

  test('not by words that the project has everywhere', () => {
    const counts = known({ effort: 400, status: 300, line: 500 })
    expect(isAbout(['effort', 'status', 'line'], ['effort', 'status', 'line'], counts)).toBe(false)
    expect(isAbout(['a', 'b'], ['a', 'b'], known({ a: 2000, b: 5000 }, 9000))).toBe(false)
  })

  test('by the rarest words of a long request', () => {
    const common = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`w${at}`, 300]))
    const rare = { r1: 1, r2: 2, r3: 1, r4: 3, r5: 2, r6: 1, r7: 1, r8: 2 }
    const words = [...Object.keys(common), ...Object.keys(rare)]
    expect(isAbout(['r1', 'r2', 'r3', 'r4', 'r5'], words, known({ ...common, ...rare }))).toBe(true)
    expect(isAbout(Object.keys(common), words, known({ ...common, ...rare }))).toBe(false)
  })

  test('in an index of two pieces, where both have its words', () => {
    expect(isAbout(['login', 'password'], ['login', 'password'], known({ login: 2, password: 2 }, 2))).toBe(
      true,
    )
  })
})
