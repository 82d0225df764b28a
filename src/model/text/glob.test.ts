import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { exactly, matchesAny, matchesBelow, matchesGlob } from './glob.ts'

test.each([
  ['/p/a.md', '/p/a.md', true],
  ['/p/*.md', '/p/a.md', true],
  ['/p/*.md', '/p/sub/a.md', false],
  ['/p/*/a.md', '/p/sub/a.md', true],
  ['/p/0?-*.md', '/p/03-gated.md', true],
  ['/p/0?-*.md', '/p/3-gated.md', false],
  ['/p/[0-2]*', '/p/1.md', true],
  ['/p/[0-2]*', '/p/3.md', false],
  ['/p/[!0-2]*', '/p/3.md', true],
  ['/p/[ab', '/p/[ab', true],
  ['/p/a**b*c', '/p/axbxbc', true],
  ['/p/*', '/p/.hidden', false],
  ['/p/.*', '/p/.hidden', true],
  ['/p/a*', '/p/a', true],
  ['/p/a', '/p/ab', false],
])('%s matches %s: %s', (pattern, path, matches) => {
  expect(matchesGlob(pattern, path)).toBe(matches)
})

test('every path matches itself, and a star matches any part of a name', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z*?[\]!-]{1,8}$/), fc.nat(8), fc.nat(8), (name, from, length) => {
      expect(matchesGlob(`/p/${name}`, `/p/${name}`)).toBe(true)
      const plain = name.replaceAll(/[^a-z]/g, 'x')
      const starred = `${plain.slice(0, from)}*${plain.slice(from + length)}`
      expect(matchesGlob(`/p/${starred}`, `/p/${plain}`)).toBe(true)
    }),
  )
})

test.each([
  ['/p/**/a.md', '/p/a.md', true],
  ['/p/**/a.md', '/p/.x/y/a.md', true],
  ['/p/**/*.md', '/p/x/a.md', true],
  ['/p/**/*.md', '/q/x/a.md', false],
  ['/p/**/b*', '/p/b/a.md', false],
  ['/p/*.md', '/p/a.md', true],
  ['/p/**/s/*.md', '/p/.x/y/s/a.md', true],
  ['/p/**/s/*.md', '/p/.x/y/a.md', false],
  ['/p/**/x/**/a.md', '/p/x/y/z/a.md', true],
  ['/p/**/x/**/a.md', '/p/y/a.md', false],
  ['/p/**', '/p/x/a.md', true],
  ['/*/**/a.md', '/p/x/a.md', true],
])('at any depth, %s matches %s: %s', (pattern, path, matches) => {
  expect(matchesBelow(pattern, path)).toBe(matches)
})

test.each([
  [['src/**', '!**/*.test.*'], 'src/a/b.ts', true],
  [['src/**', '!**/*.test.*'], 'src/a/b.test.ts', false],
  [['!src/gen', 'src/**'], 'src/gen/a.ts', false],
  [['**', '!docs/**'], 'docs', false],
  [['**', '!docs/**'], 'docs.md', true],
  [['!docs/**'], 'src/a.ts', false],
  [[exactly('!a.ts')], '!a.ts', true],
])('%j without its exceptions matches %s: %s', (patterns, path, matches) => {
  expect(matchesAny(patterns, path)).toBe(matches)
})
