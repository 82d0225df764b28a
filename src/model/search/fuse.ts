import type { FoundChunk } from './found.ts'

/** How much meaning counts beside words. */
const MEANING = 0.5
/** So many pieces are found by words at most. */
const FULL = 100

/** Adds what is near in meaning to what has the words. A piece without a vector counts by its words alone. */
export function fused(
  byWords: readonly FoundChunk[],
  near: readonly FoundChunk[],
  similarities: ReadonlyMap<number, number>,
): readonly FoundChunk[] {
  const known = new Set(byWords.map(({ id }) => id))
  const all = [...byWords, ...near.filter(({ id }) => !known.has(id))]
  const scores = byWords.map(({ score }) => score)
  // What is not in a full list fits as little as the last of it; a short list has all that fits at all.
  const words = spread(byWords.length < FULL ? [0, ...scores] : scores)
  const meanings = spread(all.flatMap(({ id }) => similarities.get(id) ?? []))
  return all
    .map((chunk) => {
      const meaning = similarities.get(chunk.id)
      const word = known.has(chunk.id) ? words(chunk.score) : 0
      const score = (1 - MEANING) * word + MEANING * (meaning === undefined ? word : meanings(meaning))
      return { ...chunk, score, ...(meaning !== undefined && { meaning }) }
    })
    .toSorted((a, b) => b.score - a.score || b.id - a.id)
}

/** Puts values between 0 for the lowest and 1 for the highest. */
function spread(values: readonly number[]): (value: number) => number {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return (value) => (high > low ? (value - low) / (high - low) : 1)
}
