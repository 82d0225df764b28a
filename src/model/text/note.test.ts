import { expect, test } from 'vitest'
import { notesIn } from './note.ts'

test.each([
  ['TODO: write the docs', 'TODO: write the docs'],
  ['  - TODO write the docs', 'TODO write the docs'],
  ['// FIXME(me): leaks', 'FIXME(me): leaks'],
  ['Follow-up: ask the user', 'Follow-up: ask the user'],
  ['* **Note:** the port is fixed', 'Note:** the port is fixed'],
  ['1. [ ] Open question: which one?', '1. [ ] Open question: which one?'],
  ['Open questions: a or b?', 'Open questions: a or b?'],
  ['note that this is fine', undefined],
  ['Notes are here', undefined],
  ['TODO', undefined],
  ['TODOs are bad', undefined],
  ['I saw a TODO: in the code', undefined],
  ['Note:', undefined],
  ['todo list of the client', undefined],
])('%j', (line, note) => {
  expect(notesIn([`Before.\n${line}\nAfter.`])).toEqual(note === undefined ? [] : [note])
})

test('code is only text, and each note is there once', () => {
  expect(notesIn(['```\nTODO: code\n```\nTODO: prose', 'TODO: prose\n~~~\nFIXME: x'])).toEqual([
    'TODO: prose',
  ])
})

test('code ends where its own fence ends', () => {
  expect(notesIn(['````\n```\nTODO: code\n```\n````\nTODO: prose'])).toEqual(['TODO: prose'])
  expect(notesIn(['- ```js\n  TODO: code\n  ```\n- TODO: prose'])).toEqual(['TODO: prose'])
})

test('any line break ends a note', () => {
  expect(notesIn(['TODO: a\r\nTODO: b\rTODO: c\nAfter.'])).toEqual(['TODO: a', 'TODO: b', 'TODO: c'])
})

test('there is an end to it', () => {
  const many = Array.from({ length: 100 }, (_, n) => `TODO: ${n} ${'x'.repeat(900)}`).join('\n')
  const notes = notesIn([many])
  expect(notes).toHaveLength(20)
  expect(Math.max(...notes.map(({ length }) => length))).toBe(500)
})

test.each(['*', '_', '`', '> ', '**TODO', 'TODO*'])('a line of nothing but %j comes to its end', (part) => {
  expect(notesIn([part.repeat(5000), `TODO${part.repeat(5000)}`])).toEqual([])
})
