import type { FoundChunk } from './found.ts'
import { isForm } from './snippet.ts'

/** A piece of the index as an answer, with the reason. */
export interface Ranked extends FoundChunk {
  /** The words of the question that it has. */
  readonly has: readonly string[]
  /** Those among them that are in its heading. */
  readonly in_heading: readonly string[]
}

/** How much the share of the question's words counts beside the score of the index. */
const COVERAGE = 0.4
const PHRASE = 0.1
/** So that one long file does not fill an answer. */
const MOST_PER_SOURCE = 3

/** The best answers, best first. */
export function rank(
  found: readonly FoundChunk[],
  words: readonly string[],
  limit: number,
): readonly Ranked[] {
  const top = Math.max(...found.map(({ score }) => score), Number.MIN_VALUE)
  const ranked = found.map((chunk) => {
    const inText = wordsOf(chunk.chunk_text)
    const inHeading = wordsOf(chunk.heading)
    const has = words.filter((word) => inText.some((one) => isForm(one, word)) || isIn(inHeading, word))
    const pairs = words.slice(1).filter((word, at) => isPhrase(inText, words[at] ?? '', word)).length
    const phrases = words.length < 2 ? 0 : pairs / (words.length - 1)
    const coverage = words.length === 0 ? 0 : has.length / words.length
    const score = (1 - COVERAGE) * (chunk.score / top) + COVERAGE * coverage + PHRASE * phrases
    return { ...chunk, score, has, in_heading: words.filter((word) => isIn(inHeading, word)) }
  })
  const perSource = new Map<string, number>()
  return ranked
    .toSorted((a, b) => b.score - a.score)
    .filter(({ project_id: project, source_type: type, source_path: path }) => {
      const key = `${project} ${type} ${path}`
      const count = (perSource.get(key) ?? 0) + 1
      perSource.set(key, count)
      return count <= MOST_PER_SOURCE
    })
    .slice(0, limit)
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

const isIn = (texts: readonly string[], word: string): boolean => texts.some((one) => isForm(one, word))

const isPhrase = (texts: readonly string[], first: string, second: string): boolean =>
  texts.some((one, at) => isForm(one, first) && isForm(texts[at + 1] ?? '', second))
