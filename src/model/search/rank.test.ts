import { expect, test } from 'vitest'
import type { FoundChunk } from './found.ts'
import { rank } from './rank.ts'

const chunk = (path: string, id: number): FoundChunk => ({
  id,
  project_id: 1,
  source_type: 'doc',
  source_path: path,
  heading: '',
  line: 1,
  chunk_text: 'x',
  updated_at: '',
  score: 1 / id,
  has: ['x'],
  in_heading: [],
})

test('the answers of a long source beyond the seventh come after those of others', () => {
  const found = [...Array.from({ length: 9 }, (_, at) => chunk('a', at + 1)), chunk('b', 10)]
  expect(rank(found, 9).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 10, 8])
  expect(rank(found, 2)).toHaveLength(2)
  expect(rank([], 9)).toEqual([])
})
