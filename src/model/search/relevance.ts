import type { FoundChunk } from './found.ts'

/** How common the words of a request are in a project. */
export interface Commonness {
  /** In how many pieces each word is, as far as they were counted. */
  readonly counts: ReadonlyMap<string, number>
  /** How many pieces the project has. */
  readonly pieces: number
}

/** A word in so many pieces tells nothing, so nobody counts further. */
export const MOST_COUNTED = 2000
/** In a small index, few pieces with a word do not make it common. */
const LEAST_PIECES = 100
/** Of a long request, the rarest words say what it is about. */
const MOST_WORDS = 8
/** A piece with fewer words of a request is about something else. */
export const LEAST_WORDS = 2
/** The share of the weight of all words that a piece must have. */
const LEAST_SHARE = 0.5

/**
 * The pieces that are about a request: each has two of its rarest words, half of their weight, and together as much
 * weight as a word that no piece has.
 */
export function relevant<Piece extends Pick<FoundChunk, 'has'>>(
  found: readonly Piece[],
  words: readonly string[],
  known: Commonness,
): readonly Piece[] {
  const telling = words
    .map((word) => ({ word, weight: weightOf(known.counts.get(word) ?? 0, known.pieces) }))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MOST_WORDS)
  const all = sumOf(telling)
  const least = Math.max(all * LEAST_SHARE, weightOf(0, known.pieces))
  return found.filter(({ has }) => {
    const own = telling.filter(({ word }) => has.includes(word))
    return own.length >= LEAST_WORDS && sumOf(own) >= least
  })
}

const weightOf = (count: number, pieces: number): number =>
  count >= MOST_COUNTED ? 0 : Math.log(1 + Math.max(pieces, LEAST_PIECES) / (count + 0.5))

const sumOf = (words: readonly { readonly weight: number }[]): number =>
  words.reduce((sum, { weight }) => sum + weight, 0)
