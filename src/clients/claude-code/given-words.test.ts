import { expect, test } from 'vitest'
import { wordsIn } from './given-words.ts'

test('the words of a long list are found, as a message may hold half a million', () => {
  const words = wordsIn({ items: [...Array.from({ length: 300_000 }, () => 'x'), 'last'] })
  expect(words).toHaveLength(300_001)
  expect(words.at(-1)).toBe('last')
})
