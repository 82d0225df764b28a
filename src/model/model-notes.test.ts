import { expect, test } from 'vitest'
import { askForNotes, notesAnswered } from './model-notes.ts'

test.each([
  ['["The port is fixed.", "Ask about the key."]', ['The port is fixed.', 'Ask about the key.']],
  ['Here they are:\n```json\n["One\\nline"]\n```', ['One line']],
  ['["twice", "twice", " ", 3, {"a": 1}]', ['twice']],
  ['[]', []],
  ['I found nothing.', []],
  ['["broken"', []],
  ['{"notes": 1}', []],
  ['', []],
])('in the answer %j are the notes %j', (answer, notes) => {
  expect(notesAnswered(answer)).toEqual(notes)
})

test('an answer has at most ten notes of at most 300 characters', () => {
  const notes = notesAnswered(
    JSON.stringify(Array.from({ length: 50 }, (_, at) => `${at} ${'x'.repeat(999)}`)),
  )
  expect(notes).toHaveLength(10)
  expect(Math.max(...notes.map((note) => note.length))).toBeLessThanOrEqual(300)
})

test('a model reads the end of a long conversation, and what is noted already', () => {
  const { prompt } = askForNotes(['first', 'x'.repeat(50_000), 'last'], ['the port'])
  expect(prompt).toContain('- the port')
  expect(prompt.endsWith('last')).toBe(true)
  expect(prompt).not.toContain('first')
})
