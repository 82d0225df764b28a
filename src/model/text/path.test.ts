import { expect, test } from 'vitest'
import { absolutePath, pathOfAddress, shortPath } from './path.ts'

test.each([
  ['/a/b', undefined, '/a/b'],
  ['b', '/a', '/a/b'],
  ['./b/', '/a/', '/a/b'],
  ['../b', '/a', '/b'],
  ['../../../b', '/a', '/b'],
  ['/a//b/./c/..', undefined, '/a/b'],
  ['/', undefined, '/'],
  ['b', undefined, undefined],
  ['b', 'relative', undefined],
  ['', '/a', undefined],
  ['a\0b', '/a', undefined],
  ['x'.repeat(5000), '/a', undefined],
])('%s seen from %s', (path, cwd, absolute) => {
  expect(absolutePath(path, cwd)).toBe(absolute)
})

test.each([
  ['file:///a%20b#L3', '/a b'],
  ['file://localhost/a', '/a'],
  ['file://elsewhere/a', undefined],
  ['file:///%zz', undefined],
  ['https://example.com/a', undefined],
])('the path of %s', (address, path) => {
  expect(pathOfAddress(address)).toBe(path)
})

test.each([
  ['/work/app-tree', '/work/app', '../app-tree'],
  ['/work/app/inner', '/work/app', 'inner'],
  ['/a', '/w/x/y/z', '/a'],
])('%s is short from %s: %s', (path, from, short) => {
  expect(shortPath(path, from)).toBe(short)
})
