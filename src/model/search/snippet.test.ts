import { expect, test } from 'vitest'
import { snippetOf } from './snippet.ts'

const marked = (text: string, words: readonly string[]) => {
  const { text: line, marks } = snippetOf(text, words)
  return { line, words: marks.map(([from, to]) => line.slice(from, to)) }
}

test('a short text is shown whole, in one line, with its words marked', () => {
  expect(marked('The login\n\npage checks Passwords.', ['login', 'password', 'check'])).toEqual({
    line: 'The login page checks Passwords.',
    words: ['login', 'checks', 'Passwords'],
  })
})

test('a long text is shown where most words are together', () => {
  const text = `${'first login here. '.repeat(1)}${'filler words go on. '.repeat(40)}the login page asks for a password. ${'more filler. '.repeat(40)}`
  const { line, words } = marked(text, ['login', 'page', 'password'])
  expect(words).toEqual(['login', 'page', 'password'])
  expect(line.startsWith('…')).toBe(true)
  expect(line.endsWith('…')).toBe(true)
  expect(line.length).toBeLessThanOrEqual(202)
})

test('a text without any of the words is shown from its beginning', () => {
  expect(marked('abc '.repeat(100), ['zebra'])).toMatchObject({ words: [] })
  expect(marked('', ['zebra'])).toEqual({ line: '', words: [] })
})
