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

test('words are marked in each of their forms, without accents and inside of names', () => {
  expect(marked('Two naïve logins, parseLogin and LOGIN_PAGE', ['login', 'naive']).words).toEqual([
    'naïve',
    'logins',
    'parseLogin',
    'LOGIN',
  ])
})

test('where no space separates words, the characters that fit are marked', () => {
  expect(marked('これは日本語の検索です', ['日本語', '検索']).words).toEqual(['日本語', '検索'])
  expect(marked('字😀字', ['字']).words).toEqual(['字', '字'])
})
