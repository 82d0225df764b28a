import { expect, test } from 'vitest'
import { painted } from '../frame/unified-diff.ts'
import { settingsDiff } from './show-diff.ts'

const settings = (token: string) =>
  `{\n  "a": 1,\n  "b": 2,\n  "c": 3,\n  "d": 4,\n  "token": "${token}"\n}\n`

test('equal settings have no diff, also when only the ends of their lines differ', () => {
  expect(settingsDiff(settings('x'), settings('x'))).toEqual([])
  expect(settingsDiff(undefined, undefined)).toEqual([])
  expect(settingsDiff(settings('x').replaceAll('\n', '\r\n'), settings('x'))).toEqual([])
})

test('a change has three lines of context, and no secret', () => {
  expect(settingsDiff(settings('old'), settings('new'))).toEqual([
    '@@ -3 +3 @@',
    '   "b": 2,',
    '   "c": 3,',
    '   "d": 4,',
    '-  "token": "***"',
    '+  "token": "***"',
    ' }',
  ])
})

test('new settings are all plus, and removed ones all minus', () => {
  expect(settingsDiff(undefined, '{}\n')).toEqual(['@@ -1 +1 @@', '+{}'])
  expect(settingsDiff('{}\n', undefined)).toEqual(['@@ -1 +1 @@', '-{}'])
})

test('a terminal shows each side in its own color', () => {
  const io = { color: true } as Parameters<typeof painted>[0]
  expect(painted(io, [' a', '-b', '+c'])).toBe(' a\n\u001B[31m-b\u001B[39m\n\u001B[32m+c\u001B[39m')
  expect(painted({ ...io, color: false }, ['-b', '+c'])).toBe('-b\n+c')
})
