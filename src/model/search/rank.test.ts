import { expect, test } from 'vitest'
import type { FoundChunk } from './found.ts'
import { rank } from './rank.ts'

const chunk = (path: string, text: string, score: number, heading = ''): FoundChunk => ({
  id: 1,
  project_id: 1,
  source_type: 'doc',
  source_path: path,
  heading,
  line: 1,
  chunk_text: text,
  updated_at: '',
  score,
})

test('a text with all words of the question comes before one that repeats a single word', () => {
  const found = [chunk('a', 'login login login', 10), chunk('b', 'the login page checks it', 8)]
  expect(rank(found, ['login', 'page', 'check'], 5).map(({ source_path: path }) => path)).toEqual(['b', 'a'])
})

test('an answer says which words it has, and which are in its heading', () => {
  expect(
    rank([chunk('a', 'it checks passwords', 1, 'Login page')], ['login', 'password', 'zebra'], 1),
  ).toMatchObject([{ has: ['login', 'password'], in_heading: ['login'] }])
})

test('words beside each other count more', () => {
  const found = [chunk('a', 'page of a login', 1), chunk('b', 'login page', 1)]
  expect(rank(found, ['login', 'page'], 1).map(({ source_path: path }) => path)).toEqual(['b'])
})

test('one source has at most three answers', () => {
  const found = Array.from({ length: 9 }, (_, at) => chunk('a', 'x', 9 - at))
  expect(rank([...found, chunk('b', 'x', 0.1)], ['x'], 9)).toHaveLength(4)
  expect(rank([], ['x'], 9)).toEqual([])
})
