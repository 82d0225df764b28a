import { expect, test } from 'vitest'
import { bitsOf, centerOf, codeOf, CodeTable, similarity, toBytes } from './codes.ts'

/** Numbers that repeat with each run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => ((state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648) * 2 - 1
}

function vectorBy(next: () => number, dims: number): Float32Array {
  const values = Array.from({ length: dims }, next)
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
  return Float32Array.from(values, (value) => value / length)
}

test('a vector as bytes is about as near to others as before', () => {
  const next = numbers(1)
  const [a, b] = [vectorBy(next, 256), vectorBy(next, 256)]
  const exact = a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
  expect(similarity(a, toBytes(b))).toBeCloseTo(exact, 2)
  expect(similarity(a, toBytes(a))).toBeCloseTo(1, 3)
  expect(similarity(a, new Int8Array(256))).toBe(0)
})

test('a code has a bit for each dimension above the middle, in words of 32 bits', () => {
  const vector = Float32Array.from([0.5, -0.5, 0.1])
  expect(codeOf(vector)).toEqual(Uint8Array.from([0b101, 0, 0, 0]))
  expect(codeOf(vector, Float32Array.from([0.6, -0.6, 0]))).toEqual(Uint8Array.from([0b110, 0, 0, 0]))
  expect(bitsOf(Uint8Array.from([0b101, 1]))).toBe('0000010100000001')
})

test('the middle of a few vectors is not taken, because their codes would be the same', () => {
  const one = Float32Array.from([1, 0])
  expect(centerOf([one])).toBeUndefined()
  expect(centerOf(Array.from({ length: 16 }, () => one))).toEqual(one)
})

test('a scan finds the nearest codes, as a comparison one by one does', () => {
  const next = numbers(2)
  const vectors = Array.from({ length: 3000 }, () => vectorBy(next, 100))
  const table = new CodeTable(codeOf(vectors[0] ?? new Float32Array(100)).length)
  for (const [at, vector] of vectors.entries())
    table.add({
      piece_id: at + 1,
      project_id: at % 3,
      source_type: at % 2 === 0 ? 'doc' : 'message',
      code: codeOf(vector),
    })
  const question = codeOf(vectorBy(next, 100))
  const distance = (code: Uint8Array) =>
    code.reduce(
      (sum, byte, at) => sum + bitsOf(Uint8Array.of(byte ^ (question[at] ?? 0))).replaceAll('0', '').length,
      0,
    )
  const slow = vectors
    .map((vector, at) => ({ id: at + 1, distance: distance(codeOf(vector)) }))
    .toSorted((a, b) => a.distance - b.distance || a.id - b.id)
  expect(table.nearest(question, 20, {})).toEqual(slow.slice(0, 20).map(({ id }) => id))
  const some = slow.filter(({ id }) => (id - 1) % 3 === 1 && (id - 1) % 2 === 0).map(({ id }) => id)
  expect(table.nearest(question, 20, { project_id: 1, source_types: ['doc'] })).toEqual(some.slice(0, 20))
  expect(table.nearest(question, 5000, { project_id: 1, source_types: ['doc'] })).toEqual(some)
  expect(table.nearest(question, 20, { source_types: ['skill'] })).toEqual([])
})

test('an empty table finds nothing', () => {
  expect(new CodeTable(4).nearest(new Uint8Array(4), 10, {})).toEqual([])
})
