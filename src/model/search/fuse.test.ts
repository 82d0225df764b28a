import { expect, test } from 'vitest'
import type { FoundChunk } from './found.ts'
import { fused } from './fuse.ts'

const chunk = (id: number, score = 0) => ({ id, score }) as FoundChunk

const idsOf = (found: readonly FoundChunk[]) => found.map(({ id }) => id)

test('a piece that is near in both ways comes before one that is near in one', () => {
  const similarities = new Map([
    [1, 0.9],
    [2, 0.2],
    [3, 0.8],
  ])
  expect(idsOf(fused([chunk(1, 8), chunk(2, 9)], [chunk(3), chunk(1)], similarities))).toEqual([1, 2, 3])
})

test('a piece without a vector counts by its words, so that a partial fill changes little', () => {
  const words = [chunk(1, 10), chunk(2, 6), chunk(3, 1)]
  expect(idsOf(fused(words, [], new Map()))).toEqual([1, 2, 3])
  expect(idsOf(fused(words, [], new Map([[3, 0.4]])))).toEqual([1, 2, 3])
})

test('each piece is there once, and says how near its meaning is', () => {
  const found = fused(
    [chunk(1, 5)],
    [chunk(1), chunk(2)],
    new Map([
      [1, 0.5],
      [2, 0.7],
    ]),
  )
  expect(found).toHaveLength(2)
  expect(found.find(({ id }) => id === 2)).toMatchObject({ meaning: 0.7 })
  expect(fused([chunk(1, 5)], [], new Map())[0]).not.toHaveProperty('meaning')
  expect(fused([], [], new Map())).toEqual([])
})
