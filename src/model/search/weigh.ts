import type { FoundChunk } from './found.ts'
import { termsOfPiece } from './piece.ts'
import { termsOf } from './terms.ts'

/** A piece that has terms of a question, as the database found it. */
export interface Candidate extends Omit<FoundChunk, 'score' | 'has' | 'in_heading'> {
  /** As in `Piece`. */
  readonly words: string
}

/** What is known of the words of a question. */
export interface Asked {
  readonly words: readonly string[]
  /** In how many pieces each of their terms is, at least about. */
  readonly counts: ReadonlyMap<string, number>
  /** How many pieces there are, at least about. */
  readonly pieces: number
}

/** The usual constants of BM25: how soon repetition stops to count, and how much length counts against a piece. */
const [SATURATION, LENGTH] = [1.2, 0.75]
/** About how many terms a piece has. */
const USUAL_LENGTH = 70
/** What a term in the heading counts beside one in the text. */
const HEADING = 1.5
/** What terms that stand beside each other as in the question count beside the terms themselves. */
const PHRASE = 0.1
/** What the other candidates of the same source count. */
const SOURCE = 0.3
/** So many of them. */
const MOST_OF_SOURCE = 5

/** Orders candidates by all terms of a question, best first, the same on both databases. */
export function weighed(candidates: readonly Candidate[], asked: Asked): readonly FoundChunk[] {
  const words = asked.words.map((word) => ({ word, terms: termsOf(word) }))
  const terms = [...new Set(words.flatMap((one) => one.terms))]
  const weights = new Map(terms.map((term) => [term, weightOf(asked.counts.get(term) ?? 0, asked.pieces)]))
  const fits = candidates.map((candidate) => fitOf(candidate, terms, weights, words))
  const top = Math.max(...fits.map(({ fit }) => fit), Number.MIN_VALUE)
  const alone = fits.map(({ fit, phrases, ...found }) => ({ ...found, score: fit / top + PHRASE * phrases }))
  const sources = sourcesOf(alone)
  return alone
    .map((one) => ({ ...one, score: (one.score + SOURCE * (sources.get(keyOf(one)) ?? 0)) / BEST }))
    .toSorted((a, b) => b.score - a.score || b.id - a.id)
}

const BEST = 1 + PHRASE + SOURCE

const weightOf = (count: number, pieces: number): number =>
  count === 0 ? 0 : Math.log(1 + (Math.max(pieces, count) - count + 0.5) / (count + 0.5))

type Weights = ReadonlyMap<string, number>

interface Word {
  readonly word: string
  readonly terms: readonly string[]
}

/** How a candidate fits by itself, and which words it has. */
function fitOf(candidate: Candidate, asked: readonly string[], weights: Weights, known: readonly Word[]) {
  const { words, ...chunk } = candidate
  const [heading, text] = termsOfPiece(words)
  const counts = new Map<string, number>()
  const count = (terms: readonly string[], each: number) => {
    for (const term of terms) if (weights.has(term)) counts.set(term, (counts.get(term) ?? 0) + each)
  }
  count(heading, HEADING)
  const inHeading = new Set(counts.keys())
  count(text, 1)
  const length = 1 - LENGTH + LENGTH * ((text.length + HEADING * heading.length) / USUAL_LENGTH)
  let fit = 0
  for (const [term, found] of counts)
    fit += ((weights.get(term) ?? 0) * found * (SATURATION + 1)) / (found + SATURATION * length)
  const wordsIn = (has: { has(term: string): boolean }) =>
    known.filter(({ terms }) => isIn(terms, has)).map(({ word }) => word)
  return {
    ...chunk,
    fit,
    phrases: phrasesOf([heading, text], asked, weights),
    has: wordsIn(counts),
    in_heading: wordsIn(inHeading),
  }
}

/** A word of several terms is there with half of them. */
const isIn = (terms: readonly string[], has: { has(term: string): boolean }): boolean =>
  terms.filter((term) => has.has(term)).length * 2 >= terms.length

/** The share of the neighbors in a question that are neighbors in a piece, by weight. */
function phrasesOf(
  parts: readonly (readonly string[])[],
  asked: readonly string[],
  weights: Weights,
): number {
  const next = new Map(asked.slice(1).map((term, at) => [asked[at] ?? '', term]))
  const has = new Set<string>()
  for (const part of parts)
    for (const [at, term] of part.entries())
      if (next.has(term) && next.get(term) === part[at + 1]) has.add(term)
  let [found, all] = [0, 0]
  for (const [first, second] of next) {
    const weight = (weights.get(first) ?? 0) + (weights.get(second) ?? 0)
    all += weight
    if (has.has(first)) found += weight
  }
  return all === 0 ? 0 : found / all
}

/** How well each source fits as a whole, by its best candidates, from 0 to 1. */
function sourcesOf(chunks: readonly FoundChunk[]): ReadonlyMap<string, number> {
  const sums = [...Map.groupBy(chunks, keyOf)].map(([key, own]) => {
    const best = own
      .map(({ score }) => score)
      .toSorted((a, b) => b - a)
      .slice(0, MOST_OF_SOURCE)
    return [key, best.reduce((sum, score, at) => sum + score / (at + 1), 0)] as const
  })
  const top = Math.max(...sums.map(([, sum]) => sum), Number.MIN_VALUE)
  return new Map(sums.map(([key, sum]) => [key, sum / top]))
}

/** Names the source of a piece. */
export const keyOf = (chunk: Pick<FoundChunk, 'project_id' | 'source_type' | 'source_path'>): string =>
  `${chunk.project_id} ${chunk.source_type} ${chunk.source_path}`
