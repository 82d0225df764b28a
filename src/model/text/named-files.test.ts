import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { filesNamedIn, mentionsIn, rangesMentioned } from './named-files.ts'

const FROM = { cwd: '/p', home: '/home/u' }

test.each<[text: string, paths: readonly string[]]>([
  ['Read .claude/skills/flow/steps/do.md and do it.', ['/p/.claude/skills/flow/steps/do.md']],
  ['First /s/a.md, then "b c/d.md" (see ~/e.md).', ['/s/a.md', '/p/c/d.md', '/home/u/e.md']],
  [`print(open('steps/do.md').read())`, ['/p/steps/do.md']],
  ['git show HEAD:steps/do.md', ['/p/steps/do.md']],
  ['--file=steps/do.md', ['/p/steps/do.md']],
  ['[do](steps/do.md#why) and `steps/do.md:12`', ['/p/steps/do.md']],
  ['curl file:///s/do.md', ['/s/do.md']],
  ['Steps/DO.MD', ['/p/Steps/DO.MD']],
  ['It ends with steps/do.md...', ['/p/steps/do.md']],
  ['steps/do.md’s text—or steps/look.md—and İ/x.md', ['/p/steps/do.md', '/p/steps/look.md', '/p/İ/x.md']],
  ['.md, an.mdx, a.md-x, b.md.bak and a command', []],
  ['', []],
])('files named in %j', (text, paths) => {
  expect(filesNamedIn(text, FROM)).toEqual(paths)
})

test.each<[prompt: string, paths: readonly string[]]>([
  ['@steps/do.md', ['/p/steps/do.md']],
  ['Look at @/s/a.md, @~/b.md and @"c d.md".', ['/s/a.md', '/home/u/b.md', '/p/c d.md']],
  ['@steps/do.md#L3-7 and @steps/look.md:', ['/p/steps/do.md', '/p/steps/look.md']],
  ['somebody@example.md, steps/do.md and @steps', []],
])('mentions in %j', (prompt, paths) => {
  expect(mentionsIn(prompt, FROM)).toEqual(paths)
})

test('without a folder only absolute paths are known', () => {
  expect(filesNamedIn('a.md ~/b.md /c.md', { cwd: undefined })).toEqual(['/c.md'])
})

test('a text is read to its end, but not every file of a long list is kept', () => {
  const text = Array.from({ length: 10_000 }, (_, index) => `@${index}.md`).join(' ')
  expect(filesNamedIn(text, FROM)).toHaveLength(100)
  expect(mentionsIn(text, FROM)).toHaveLength(100)
})

test('any text names files that are absolute', () => {
  fc.assert(
    fc.property(anyString({ maxLength: 60 }), (text) => {
      for (const path of [...filesNamedIn(`${text}.md`, FROM), ...mentionsIn(`@${text}.md`, FROM)])
        expect(path).toMatch(/^\//)
    }),
  )
})

test.each(['.', '.md', '@', '@"', '/', 'a', ' @a', '.md.', '#'])(
  'half a megabyte of %j comes to an end',
  (piece) => {
    const text = piece.repeat(500_000 / piece.length)
    expect(filesNamedIn(text, FROM).length + mentionsIn(text, FROM).length).toBeLessThan(1000)
  },
)

test.each([
  ['@steps/do.md', undefined],
  ['see @steps/do.md#L3-7.', [[3, 7]]],
  [
    '@a/do.md#L3 and @"a b/do.md#L9-12"',
    [
      [3, 3],
      [9, 12],
    ],
  ],
  ['@do.md#L3-7 and @do.md', undefined],
  ['@look.md#L1-2 and do.md#L3-4', undefined],
])('the lines that are attached by %s', (prompt, ranges) => {
  expect(rangesMentioned(prompt, 'do.md')).toEqual(ranges)
})
