import { expect, test } from 'vitest'
import { agentNotFound, effortFinished, EngineError, taskNotFound, toWire } from './error.ts'
import { idMaker } from './id.ts'
import { nearest } from './text/nearest.ts'
import { innermost, isInside } from './project.ts'
import { shellWord } from './shell/word.ts'
import { mergeKeywords, startCommand } from './task.ts'

test.each([
  [null, undefined, null],
  ['a, b', undefined, 'a, b'],
  ['a, b', '', 'a, b'],
  ['a', ' b ,a,, c', 'a, b, c'],
  [null, 'x', 'x'],
])('keywords %j with %j are %j', (known, added, merged) => expect(mergeKeywords(known, added)).toBe(merged))

test('a suggested effort starts in a task of our folder, which git ignores', () => {
  expect(startCommand()).toBe('holdfast effort start .holdfast/tasks/SKILL SKILL')
  expect(startCommand('ship', '/my app')).toBe("holdfast effort start '/my app/.holdfast/tasks/ship' ship")
})

test('the innermost folder owns a path', () => {
  const projects = [{ path: '/a' }, { path: '/a/b' }, { path: '/ab' }]
  expect(innermost(projects, '/a/b/c')).toEqual({ path: '/a/b' })
  expect(innermost(projects, '/abc')).toBeUndefined()
  expect(isInside('/', '/x')).toBe(true)
})

test('ids sort by creation, even within a millisecond and when the clock steps back', () => {
  const times = [5, 5, 5, 9, 3, 3, 10]
  const next = idMaker({ now: () => times.shift() ?? 11 })
  const ids = Array.from({ length: 8 }, next)
  expect(ids.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(ids)
  expect(new Set(ids).size).toBe(8)
})

test('a misspelt name finds its neighbours', () => {
  expect(nearest('db.efort.start', ['db.effort.start', 'db.session.start', 'x'])).toEqual(['db.effort.start'])
  expect(nearest('zzz', ['effort'])).toEqual([])
})

test('an error tells its code, its field and what to do', () => {
  const error = new EngineError('invalid', 'no', { field: 'a', hint: 'do' })
  expect(toWire(error)).toEqual({
    code: -32602,
    message: 'no',
    data: { code: 'invalid', field: 'a', hint: 'do' },
  })
})

test.each([[new Error('boom')], ['boom']])('%s is shown as a bug', (thrown) => {
  expect(toWire(thrown)).toMatchObject({ code: -32603, data: { code: 'internal' } })
})

test.each([
  ['/a/b-c_d.md', '/a/b-c_d.md'],
  ['plugin:name', 'plugin:name'],
  ['a=b@c%d+e', 'a=b@c%d+e'],
  ['', "''"],
  ['two words', "'two words'"],
  ['~', "'~'"],
  ['$(x) `y` "z"', `'$(x) \`y\` "z"'`],
  ["it's", String.raw`'it'\''s'`],
  ['日本', "'日本'"],
  ['a\nb', "'a\nb'"],
])('%j is the word %s of a shell', (text, word) => expect(shellWord(text)).toBe(word))

test('hints can be pasted, whatever the names in them', () => {
  const [task, agent] = ['/my tasks/a', 'agent $1']
  expect(taskNotFound(task).hint).toBe("holdfast task upsert '/my tasks/a'")
  expect(effortFinished(1, 'x:y', task).hint).toBe("holdfast effort start '/my tasks/a' x:y")
  expect(agentNotFound(agent).hint).toBe("holdfast agent register 'agent $1'")
})
