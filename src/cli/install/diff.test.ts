import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { unifiedDiff } from './diff.ts'

test('nothing changes between a text and itself', () => {
  expect(unifiedDiff('a\nb\n', 'a\nb\n')).toEqual([])
  expect(unifiedDiff('', '')).toEqual([])
})

test('lines that went and lines that came stand between three that stayed', () => {
  const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].join('\n')
  expect(unifiedDiff(before, before.replace('5', 'five\nand more'))).toEqual([
    '@@ -2 +2 @@',
    ' 2',
    ' 3',
    ' 4',
    '-5',
    '+five',
    '+and more',
    ' 6',
    ' 7',
    ' 8',
  ])
})

test('a text that comes or goes as a whole is all plus or all minus', () => {
  expect(unifiedDiff('', 'a\nb\n')).toEqual(['@@ -1 +1 @@', '+a', '+b'])
  expect(unifiedDiff('a\r\nb', '')).toEqual(['@@ -1 +1 @@', '-a', '-b'])
})

test('whatever two texts are, the lines of each are told in their order', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 7 })
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      fc.pre(before.join() !== after.join())
      const told = unifiedDiff(before.join('\n'), after.join('\n')).filter((line) => !line.startsWith('@@'))
      const side = (mark: string) =>
        told.filter((line) => line.startsWith(mark) || line.startsWith(' ')).map((line) => line.slice(1))
      expect(before.join()).toContain(side('-').join())
      expect(after.join()).toContain(side('+').join())
      expect(told.some((line) => !line.startsWith(' '))).toBe(true)
    }),
  )
})
