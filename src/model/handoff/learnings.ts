import { oneLine } from '../text/line.ts'
import { changed, contentIn, headingOf, type Lines, toLines } from './lines.ts'
import { type FieldFault, type FoundIn, nameKey } from './problem.ts'
import { wordsFault } from './section-edits.ts'

/** What a session found out, under a short title. */
export interface Learning {
  readonly title: string
  /** From 1. */
  readonly line: number
}

/** What a caller adds. */
export interface LearningWords {
  readonly title: string
  readonly text: string
}

/** The learnings of a project as they were read. */
export interface Learnings extends Lines {
  readonly all: readonly Learning[]
  readonly problems: readonly FoundIn[]
}

/** A title longer than this is a text. */
const MOST_TITLE_WORDS = 7

/** From then on, somebody should sort the learnings out. */
export const MANY_LINES = 80

/** Reads any text as learnings: each heading of level 2 is the title of one. */
export function readLearnings(text: string): Learnings {
  const file = toLines(text)
  const all: Learning[] = []
  for (const [at, line] of file.lines.entries()) {
    const heading = headingOf(line)
    if (heading?.level === 2 && heading.title !== '') all.push({ title: heading.title, line: at + 1 })
  }
  return { ...file, all, problems: [...problemsOf(all)] }
}

function* problemsOf(all: readonly Learning[]): Generator<FoundIn> {
  const first = new Map<string, Learning>()
  for (const one of all) {
    const { title, line } = one
    const fault = titleFault(title)
    const about = { file: 'learnings', line } as const
    if (fault !== undefined) yield { ...about, code: 'learning-title', message: fault, hint: SHORTER }
    const before = first.get(nameKey(title))
    if (before === undefined) first.set(nameKey(title), one)
    else
      yield {
        ...about,
        code: 'learning-twice',
        message: `The learning "${oneLine(title, LONGEST)}" is in the file twice; the first one is in line ${before.line}.`,
        hint: 'Put both together under one title.',
      }
  }
}

const LONGEST = 80
const SHORTER = `Use at most ${MOST_TITLE_WORDS} words, better five.`

/** What is wrong with a title; undefined if nothing is. */
function titleFault(title: string): string | undefined {
  const words = title.split(/\s+/).filter(Boolean).length
  return words > MOST_TITLE_WORDS
    ? `The title "${oneLine(title, LONGEST)}" has ${words} words; at most ${MOST_TITLE_WORDS} are allowed.`
    : undefined
}

/** What keeps a learning out of the file: it could not be found or read there again. */
export function learningFault({ title, text }: LearningWords): FieldFault | undefined {
  const long = titleFault(title)
  if (long !== undefined) return { field: 'title', message: long }
  if (readLearnings(`## ${title}`).all[0]?.title !== title)
    return { field: 'title', message: 'The title cannot end with # behind a blank: a heading drops it.' }
  return wordsFault('text', text)
}

/** True if a learning has these words already, which an interrupted call has written. */
export const isSameText = (words: string, text: string): boolean =>
  words.trim() === linesOfWords(text).join('\n').trim()

const linesOfWords = (text: string): readonly string[] => text.split(/\r\n|\r|\n/)

/** The text of a learning below its title. */
export function wordsOfLearning({ lines, all }: Learnings, title: string): string | undefined {
  const index = all.findIndex((one) => nameKey(one.title) === nameKey(title))
  const found = all[index]
  if (found === undefined) return undefined
  const { from, to } = contentIn(lines, found.line, (all[index + 1]?.line ?? lines.length + 1) - 1)
  return lines
    .slice(from, to)
    .map(({ text }) => text)
    .join('\n')
}

/** The learnings with more of them at the end; one whose title is known stays as it is. */
export function withLearnings(text: string | undefined, added: readonly LearningWords[]): string {
  const file = readLearnings(text ?? '')
  const known = new Set(file.all.map(({ title }) => nameKey(title)))
  const fresh = added.filter(({ title }) => !known.has(nameKey(title)))
  if (fresh.length === 0) return text ?? ''
  const isNew = file.lines.length === 0
  const gap = isNew || file.lines.at(-1)?.text.trim() === '' ? [] : ['']
  const puts = fresh.flatMap(({ title, text: words }, index) => [
    ...(index === 0 ? gap : ['']),
    `## ${title}`,
    '',
    ...linesOfWords(words),
  ])
  return changed(file, [
    { at: file.lines.length, removes: 0, puts: isNew ? ['# Learnings', '', ...puts] : puts },
  ])
}
