import { expect, test } from 'vitest'
import { checklistOf, speaksOf, todoKey, withMarks } from './checklist.ts'

// Defect 22 of the originals: the words of a todo had to stand in it literally, with their hyphens.
test.each([
  ['Gather the context of the change', 'gather-context'],
  ['GATHER CONTEXT', 'gather-context'],
  ['1. Write tests (all of them)', 'Write tests'],
  ['Prüfen: die Tür', 'tür prüfen'],
])('%j speaks of %j', (entry, item) => {
  expect(speaksOf(entry, item)).toBe(true)
})

test.each([
  // Defect 22 again: a part of a word is not the word.
  ['It is required', 'red'],
  ['Gather', 'gather-context'],
  ['', 'gather'],
  ['anything', '!!'],
])('%j does not speak of %j', (entry, item) => {
  expect(speaksOf(entry, item)).toBe(false)
})

test('what was heard of an item is found however it is written now', () => {
  const marks = { listed: ['write tests'], done: ['gather context'] }
  expect(checklistOf(['Gather-Context', 'Write tests!', 'Ship'], marks)).toEqual([
    { text: 'Gather-Context', listed: true, done: true },
    { text: 'Write tests!', listed: true, done: false },
    { text: 'Ship', listed: false, done: false },
  ])
  expect(checklistOf(['Ship'])).toEqual([{ text: 'Ship', listed: false, done: false }])
})

test('what is heard twice is news once', () => {
  const first = withMarks({ listed: [], done: [] }, [
    { text: 'A', done: false },
    { text: 'a!', done: false },
    { text: 'A', done: true },
  ])
  expect(first).toEqual({
    marks: { listed: ['a'], done: ['a'] },
    news: [
      { text: 'A', done: false },
      { text: 'A', done: true },
    ],
  })
  expect(withMarks(first.marks, [{ text: 'A', done: true }]).news).toEqual([])
  expect(todoKey('A-b')).toBe('a b')
})
