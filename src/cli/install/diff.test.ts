import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { unifiedDiff } from './diff.ts'

test('equal texts have no diff', () => {
  expect(unifiedDiff('a\nb\n', 'a\nb\n')).toEqual([])
  expect(unifiedDiff('', '')).toEqual([])
})

test('removed and added lines have three lines of context on each side', () => {
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

test('a new text is all plus, and a removed text is all minus', () => {
  expect(unifiedDiff('', 'a\nb\n')).toEqual(['@@ -1 +1 @@', '+a', '+b'])
  expect(unifiedDiff('a\r\nb', '')).toEqual(['@@ -1 +1 @@', '-a', '-b'])
})

test('the diff of any two texts keeps the lines of each in order', () => {
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
