import { type Diagnostic, diagnose } from '../../model/diagnostic.ts'
import type { Block } from '../text/markdown.ts'
import { type Entry, entryOf, orderOf } from './entry.ts'
import type { Series } from './find.ts'

/** Numbers are only labels, but likely mistakes get a diagnostic. */
export function checkNumbers(
  { word, entries }: Series,
  file: string,
  blocks: readonly Block[] = [],
): readonly Diagnostic[] {
  const what = word === '' ? 'Number' : `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`
  const lines = new Map<string, number>()
  const texts = between(entries, blocks)
  return entries.flatMap((entry, index) => {
    const place = { file, line: entry.line, column: 1 }
    const before = entries[index - 1]
    const double = lines.get(entry.number)
    lines.set(entry.number, double ?? entry.line)
    if (double !== undefined)
      return [diagnose('HF201', place, `${what} ${entry.number} is already used at line ${double}.`)]
    if (before === undefined) return []
    if (descends(before.number, entry.number))
      return [diagnose('HF203', place, `${what} ${entry.number} comes after ${before.number}.`)]
    const gap = { word, from: lastOf(before.number), to: Math.floor(orderOf(entry.number)) }
    const text = texts[index] ?? []
    // The number before may be out of order, which got a diagnostic of its own.
    if (
      gap.to - gap.from <= 1 ||
      isByTens(gap) ||
      lines.has(String(gap.to - 1)) ||
      isToldElsewhere(gap, text)
    )
      return []
    const message = `A number is missing between ${before.number} and ${entry.number}`
    return [diagnose('HF202', place, `${message}${hiddenIn(gap, text)}.`)]
  })
}

/** The blocks before each entry, back to the one before it. */
function between(entries: readonly Entry[], blocks: readonly Block[]): readonly (readonly Block[])[] {
  let at = 0
  return entries.map(({ line }) => {
    const from = at
    while (at < blocks.length && (blocks[at]?.line ?? 0) < line) at++
    return blocks.slice(from, at)
  })
}

interface Gap {
  readonly word: string
  readonly from: number
  readonly to: number
}

/** Some authors leave room between parts: 5, 20, 30. */
const isByTens = ({ from, to }: Gap): boolean => to - from >= 10 && to % 10 === 0

const isInside = (number: string, { from, to }: Gap): boolean =>
  orderOf(number) > from && orderOf(number) < to

/** Names the fence that a missing step is written in. */
function hiddenIn(gap: Gap, blocks: readonly Block[]): string {
  for (const block of blocks)
    if (block.kind === 'fence')
      for (const line of block.content.split('\n')) {
        const found = entryOf(line.replace(/^[\s#*]+/, ''))
        if (found?.word === gap.word && isInside(found.number, gap))
          return `; ${`${found.word} ${found.number}`.trim()} is inside the code fence at line ${block.line}`
      }
  return ''
}

/** A missing step that the text in between mentions by its number is in another file. */
const isToldElsewhere = (gap: Gap, blocks: readonly Block[]): boolean =>
  gap.word !== '' &&
  blocks.some(
    (block) =>
      block.kind === 'paragraph' &&
      [...block.text.matchAll(MENTION)].some(
        ([, word, number = '']) => word?.toLowerCase() === gap.word && isInside(number, gap),
      ),
  )

const MENTION = /\b(phase|step|stage|cycle)s?\s+(\d{1,4})/gi

/** The last number of a range such as 7-8, or else the whole number. */
const lastOf = (number: string): number =>
  Number(/(?<=\w)-(\d+)$/.exec(number)?.[1] ?? Math.floor(orderOf(number)))

/** Accepts both decimals (4.75, 4.8) and sections (4.9, 4.10) as ascending. */
const descends = (before: string, now: string): boolean =>
  orderOf(now) < orderOf(before) && !(Number(now) > Number(before))
