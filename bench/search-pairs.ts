import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { walk } from '../src/files/walk.ts'
import { type Chunk, chunksOf } from '../src/model/search/chunk.ts'
import { wordsOf } from '../src/model/search/question.ts'
import { TEXT_FILE, titleOf } from '../src/model/search/source.ts'
import { termsIn, termsOf } from '../src/model/search/terms.ts'
import { readFrontmatter } from '../src/skills/text/frontmatter.ts'
import { sourceText } from '../src/skills/text/text.ts'

/** A piece of a text, with the name of the text that counts as an answer. */
export interface Passage extends Chunk {
  readonly path: string
  readonly target: string
}

/** A question, and the text that it was made from. */
export interface Pair {
  readonly question: string
  readonly target: string
  /** The share of its words that the text has. */
  readonly overlap: number
}

/** Texts to search, and questions whose answers are known. */
export interface PairSet {
  readonly name: string
  readonly passages: readonly Passage[]
  readonly pairs: readonly Pair[]
}

/** A text without its frontmatter. */
export interface Text {
  readonly path: string
  readonly body: string
  readonly description: string
}

/** Every text below a folder. */
export async function textsIn(root: string, wanted = TEXT_FILE): Promise<readonly Text[]> {
  const { files } = await walk(root, wanted)
  return files.map((path) => textOf(path, readFileSync(join(root, path), 'utf8')))
}

/** The body of a text, and what its frontmatter says of it. */
export function textOf(path: string, content: string): Text {
  const source = sourceText(path, content)
  const { fields, bodyLine, bodyEnd, found } = readFrontmatter(source)
  const description = fields.get('description')?.value
  return {
    path,
    body: found ? source.lines.slice(bodyLine, bodyEnd).join('\n') : content,
    description: typeof description === 'string' ? description : '',
  }
}

/** Headings ask for their sections. No section keeps its own heading, and nothing keeps one that asks. */
export function headingPairs(name: string, texts: readonly Text[], most: number, seed: number): PairSet {
  const sections = texts.flatMap(sectionsOf)
  const uses = Map.groupBy(sections, ({ own }) => own.toLowerCase())
  const able = sections.filter(
    ({ own, text, above }) =>
      above !== '' && isTelling(own) && text.length >= 100 && uses.get(own.toLowerCase())?.length === 1,
  )
  const chosen = sampled(able, most, seed)
  const asking = new Set(chosen.map(({ own }) => own))
  const without = (above: string) =>
    above
      .split(' > ')
      .filter((one) => !asking.has(one))
      .join(' > ')
  return {
    name,
    passages: sections.flatMap(({ path, chunks, text, above }) =>
      chunks.map((chunk) => ({ ...chunk, path, target: digestOf(text), heading: without(above) })),
    ),
    pairs: chosen.map(({ own, text }) => pairOf(own, text)),
  }
}

/** The first sentence of a description asks for the body that it describes. */
export function descriptionPairs(name: string, texts: readonly Text[], most: number, seed: number): PairSet {
  const uses = Map.groupBy(texts, ({ description }) => sentenceOf(description).toLowerCase())
  const able = texts.filter(({ description, body }) => {
    const sentence = sentenceOf(description)
    return isTelling(sentence) && body.length >= 200 && uses.get(sentence.toLowerCase())?.length === 1
  })
  return {
    name,
    passages: texts.flatMap(passagesOf),
    pairs: sampled(able, most, seed).map(({ description, body }) => pairOf(sentenceOf(description), body)),
  }
}

/** Headings ask for what an agent answered in a session of their file; what was said has no headings. */
export function sessionPairs(name: string, texts: readonly Text[], most: number, seed: number): PairSet {
  const { passages, pairs } = headingPairs(name, texts, most, seed)
  return { name, pairs, passages: passages.map((passage) => ({ ...passage, heading: 'answer' })) }
}

/** Something that a person wrote about one text, and the path of that text. */
export interface Remark {
  readonly remark: string
  readonly path: string
}

/** Remarks ask for the texts that they are about. */
export function remarkPairs(
  name: string,
  texts: readonly Text[],
  remarks: readonly Remark[],
  most: number,
  seed: number,
): PairSet {
  const bodies = new Map(texts.map(({ path, body }) => [path, body]))
  const able = remarks.flatMap(({ remark, path }) => {
    const body = bodies.get(path)
    return body === undefined || !isTelling(remark) ? [] : [pairOf(remark, body)]
  })
  return { name, passages: texts.flatMap(passagesOf), pairs: sampled(able, most, seed) }
}

const passagesOf = ({ path, body }: Text): readonly Passage[] =>
  chunksOf(body, titleOf(path)).map((chunk) => ({ ...chunk, path, target: digestOf(body) }))

interface Section {
  readonly path: string
  readonly own: string
  readonly above: string
  readonly text: string
  readonly chunks: readonly Chunk[]
}

/** Stretches of pieces below the same heading. */
function sectionsOf({ path, body }: Text): readonly Section[] {
  const sections: { heading: string; chunks: Chunk[] }[] = []
  for (const chunk of chunksOf(body, titleOf(path))) {
    const last = sections.at(-1)
    if (last?.heading === chunk.heading) last.chunks.push(chunk)
    else sections.push({ heading: chunk.heading, chunks: [chunk] })
  }
  return sections.map(({ heading, chunks }) => {
    const parts = heading.split(' > ')
    return {
      path,
      own: parts.at(-1) ?? '',
      above: parts.slice(0, -1).join(' > '),
      text: chunks.map(({ text }) => text).join('\n'),
      chunks,
    }
  })
}

/** Whether a text is in a language that puts no space between words, or hardly. */
export const isUnspacedText = (text: string): boolean => (text.match(UNSPACED)?.length ?? 0) >= 4

const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/gu

/** Whether a line says enough to be found by. */
const isTelling = (line: string): boolean =>
  (line.match(/[\p{L}\p{N}]{3,}/gu)?.length ?? 0) >= 3 || (line.match(UNSPACED)?.length ?? 0) >= 6

const sentenceOf = (description: string): string =>
  (/^.*?[.!?。！？](?=\s|$)/su.exec(description.trim())?.[0] ?? description.trim())
    .split(/\s+/)
    .slice(0, 16)
    .join(' ')

function pairOf(question: string, text: string): Pair {
  const has = new Set(termsIn(text))
  const terms = wordsOf(question).flatMap(termsOf)
  const shared = terms.filter((term) => has.has(term)).length
  return { question, target: digestOf(text), overlap: shared / Math.max(1, terms.length) }
}

const digestOf = (text: string): string =>
  createHash('sha256').update(text.replaceAll(/\s+/g, ' ').trim()).digest('base64url')

/** The same numbers for the same seed, between 0 and 1. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A part of a list, chosen by the seed. */
function sampled<T>(list: readonly T[], most: number, seed: number): readonly T[] {
  const next = numbersFrom(seed)
  return list
    .map((one) => ({ one, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, most)
    .map(({ one }) => one)
}
