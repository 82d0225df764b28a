import { expect, test } from 'vitest'
import type { HookEvent, ToolAction, Touch } from './event.ts'
import { changedAfter, changedBy, loadedAfter, loadedBy, MOST_LOADED } from './loaded-files.ts'

const after = (does: ToolAction): HookEvent => ({
  client: 'claude-code',
  kind: 'tool.after',
  tool: { name: 'X', does, input: null, result: null, ended: true },
})
const files = (...touches: Touch[]): ToolAction => ({ kind: 'files', touches })

test.each<[string, ToolAction, readonly string[]]>([
  ['a read', files({ path: '/a', how: 'read' }), ['/a']],
  ['several reads at once', files({ path: '/a', how: 'read' }, { path: '/b', how: 'read' }), ['/a', '/b']],
  ['a write', files({ path: '/a', how: 'write' }), []],
  ['a list', files({ path: '/a', how: 'list' }), []],
  ['a search in a file', files({ path: '/a', how: 'read', part: true }), []],
  ['a path that is too long', files({ path: `/${'a'.repeat(5000)}`, how: 'read' }), []],
  ['a command', { kind: 'command', command: 'cat /a' }, []],
])('%s', (_, does, loaded) => {
  expect(loadedBy(after(does))).toEqual(loaded)
})

test('what has not succeeded yet, or has failed, loads nothing', () => {
  const tool = { name: 'X', does: files({ path: '/a', how: 'read' }), input: null }
  expect(loadedBy({ client: 'c', kind: 'tool.before', tool })).toEqual([])
  expect(loadedBy({ client: 'c', kind: 'tool.failed', tool, error: '', interrupted: false })).toEqual([])
})

test('each is kept once, and of too many the newest', () => {
  expect(loadedAfter(['/a', '/b'], ['/b', '/c'])).toEqual(['/a', '/b', '/c'])
  expect(loadedAfter(['/a'], ['/c', '/b', '/c'])).toEqual(['/a', '/c', '/b'])
  const known = ['/a', '/b']
  expect(loadedAfter(known, ['/b'])).toBe(known)
  const many = Array.from({ length: MOST_LOADED }, (_, n) => `/${n}`)
  const kept = loadedAfter(many, ['/new'])
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([MOST_LOADED, '/1', '/new'])
})

test('a write changes a file, and a read does not', () => {
  const both = files({ path: '/a', how: 'write' }, { path: '/b', how: 'read' })
  expect(changedBy(after(both))).toEqual(['/a'])
  const tool = { name: 'X', does: both, input: null }
  expect(changedBy({ client: 'c', kind: 'tool.before', tool })).toEqual([])
})

test('a changed file is kept once, where it was changed last, and of too many the newest', () => {
  expect(changedAfter(['/a', '/b'], ['/a', '/c', '/a'])).toEqual(['/b', '/c', '/a'])
  const many = Array.from({ length: 500 }, (_, n) => `/${n}`)
  const kept = changedAfter(many, ['/new'])
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([200, '/301', '/new'])
})
