import { expect, test } from 'vitest'
import { pickedBy } from './file-types.ts'

test.each<[globs: string, paths: readonly string[]]>([
  ['a.md', ['/p/**/a.md']],
  ['/s/a.md', ['/p/s/a.md']],
  ['{a,b}.{md,txt}', ['/p/**/a.md', '/p/**/a.txt', '/p/**/b.md', '/p/**/b.txt']],
  ['a.md, b.md c.md', ['/p/**/a.md', '/p/**/b.md', '/p/**/c.md']],
  ['*.md', []],
  ['**/*.md', []],
  ['!a.md', []],
  [`{${Array.from({ length: 70 }, (_, at) => `n${at}`).join(',')}}.md`, ['/p/**/?*.md']],
  [`s/{${Array.from({ length: 70 }, (_, at) => `n${at}`).join(',')}}.md`, ['/p/s/?*.md']],
])('a search with %s picks %j', (globs, paths) => {
  expect(pickedBy('/p', globs)).toEqual(paths)
})

test('without a glob or a folder nothing is picked', () => {
  expect([pickedBy('/p', undefined), pickedBy(undefined, 'a.md')]).toEqual([[], []])
})
