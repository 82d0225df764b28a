import { expect, test } from 'vitest'
import { wordsOf } from './question.ts'

test.each([
  ['How does the login page work?', ['login', 'page', 'work']],
  ['login AND NOT "page" OR NEAR(x, 3) ^y* col:z', ['login', 'page', 'near', 'x', '3', 'y', 'col', 'z']],
  ['to be or not to be', ['to', 'be', 'or', 'not']],
  ['Größe ñandú 日本語 שלום', ['grosse', 'nandu', '日本語', 'שלום']],
  ['nul\0in\ud800side 😀', ['nul', 'side']],
  ['"()*-^:+{}', []],
  ['', []],
])('%j asks for %j', (question, words) => {
  expect(wordsOf(question)).toEqual(words)
})

test('a question of megabytes asks for few words', () => {
  const words = wordsOf(
    'x1 x2 x3 '.repeat(500_000) + Array.from({ length: 99 }, (_, at) => `y${at}`).join(' '),
  )
  expect(words).toEqual(['x1', 'x2', 'x3'])
  expect(wordsOf('z'.repeat(1000))).toEqual(['z'.repeat(64)])
})
