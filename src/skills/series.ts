import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import type { Block, Heading } from './markdown.ts'

/** One numbered heading (or, at the last resort, a bold line or a list item). */
export interface Entry {
  readonly word: string
  readonly number: string
  readonly title: string
  readonly line: number
}

/** Entries that belong together: one word, one level, one run of numbers. */
export interface Series {
  readonly word: string
  readonly entries: readonly Entry[]
  readonly line: number
}

const WORDS = 'phase|step|stage|cycle'
const NUMBER = String.raw`-?\d{1,4}(?:\.(?:\d{1,4}|[A-Z]))*[a-zA-Z]?(?:\s?[-–]\s?\d{1,4})?`
const NAMED = new RegExp(String.raw`^(${WORDS})\s+(${NUMBER})(?![\w.])\s*(?:[:—–.)\-]\s*)?(.*)$`, 'is')
const BARE = new RegExp(String.raw`^(${NUMBER})(?:[.):]\s|\s?[—–]\s|\s-\s|(?<=\.\d{1,4})\s)(.*)$`, 's')
const BOLD = new RegExp(String.raw`^\*\*(${WORDS})\s+(${NUMBER})\s*(?:[:—–.)\-]\s*)?([^*]*)\*\*(.*)$`, 'is')

/** All series of a body, the one that is most likely its plan first. */
export function findSeries(blocks: readonly Block[]): readonly Series[] {
  const fromHeadings = headingSeries(blocks).filter(({ entries }) => entries.length > 1)
  if (fromHeadings.length > 0) return ranked(fromHeadings)
  const fromBold = boldSeries(blocks)
  if (fromBold.length > 0) return ranked(fromBold)
  return ranked(listSeries(blocks))
}

/** The longest first; of equals the one with a word, then the first in the file. */
const ranked = (all: readonly Series[]): readonly Series[] =>
  all.toSorted(
    (a, b) =>
      b.entries.length - a.entries.length || Number(a.word === '') - Number(b.word === '') || a.line - b.line,
  )

export function entryOf(text: string): Omit<Entry, 'line'> | undefined {
  const named = NAMED.exec(text.trim())
  if (named !== null)
    return { word: (named[1] ?? '').toLowerCase(), number: compact(named[2]), title: tidy(named[3]) }
  const bare = BARE.exec(`${text.trim()} `)
  return bare === null ? undefined : { word: '', number: compact(bare[1]), title: tidy(bare[2]) }
}

const compact = (number: string | undefined): string =>
  (number ?? '').replaceAll(/\s/g, '').replaceAll('–', '-')
const tidy = (title: string | undefined): string =>
  (title ?? '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^\*+|\*+$/g, '')
    .trim()

interface Run {
  readonly key: string
  readonly parent: number
  readonly entries: Entry[]
}

function headingSeries(blocks: readonly Block[]): readonly Series[] {
  const headings = blocks.filter(
    (block) => block.kind === 'heading' && block.level >= 2 && block.level <= 4,
  ) as readonly Heading[]
  const runs: Run[] = []
  const parents = parentsOf(blocks)
  for (const heading of headings) {
    const entry = entryOf(heading.text)
    if (entry === undefined) continue
    const key = `${entry.word}/${heading.level}`
    const parent = parents.get(heading) ?? 0
    const last = runs.findLast((run) => run.key === key)
    // Numbers that go on below another heading are the same procedure; numbers that start again are a new one.
    const goesOn =
      last !== undefined &&
      (last.parent === parent || rank(entry.number) > rank(last.entries.at(-1)?.number ?? ''))
    if (goesOn) last.entries.push({ ...entry, line: heading.line })
    else runs.push({ key, parent, entries: [{ ...entry, line: heading.line }] })
  }
  return runs.map(({ entries }) => toSeries(entries))
}

/** The line of the heading that each heading stands below. */
function parentsOf(blocks: readonly Block[]): ReadonlyMap<Heading, number> {
  const parents = new Map<Heading, number>()
  const above: Heading[] = []
  for (const block of blocks) {
    if (block.kind !== 'heading') continue
    while ((above.at(-1)?.level ?? 0) >= block.level) above.pop()
    parents.set(block, above.at(-1)?.line ?? 0)
    above.push(block)
  }
  return parents
}

function boldSeries(blocks: readonly Block[]): readonly Series[] {
  const entries = blocks.flatMap((block) => {
    if (block.kind !== 'paragraph' && block.kind !== 'item') return []
    const match = BOLD.exec(block.text)
    return match === null
      ? []
      : [
          {
            word: (match[1] ?? '').toLowerCase(),
            number: compact(match[2]),
            title: tidy(`${match[3] ?? ''} ${match[4]?.split('\n')[0] ?? ''}`),
            line: block.line,
          },
        ]
  })
  return [...Map.groupBy(entries, ({ word }) => word).values()]
    .filter((group) => group.length > 1)
    .map(toSeries)
}

/** A numbered list counts only at the left margin, and only where nothing else is numbered. */
function listSeries(blocks: readonly Block[]): readonly Series[] {
  const runs: Entry[][] = []
  for (const block of blocks) {
    if (block.kind !== 'item' || block.depth !== 1 || block.number === undefined) continue
    const entry = {
      word: '',
      number: String(block.number),
      title: tidy(block.text.split('\n')[0]),
      line: block.line,
    }
    if (block.number <= 1 || runs.length === 0) runs.push([entry])
    else runs.at(-1)?.push(entry)
  }
  return runs.filter((run) => run.length > 1).map(toSeries)
}

const toSeries = (entries: readonly Entry[]): Series => ({
  word: entries[0]?.word ?? '',
  entries,
  line: entries[0]?.line ?? 1,
})

/** A number to compare with: 2 < 2.1 < 2b < 3. */
export function rank(number: string): number {
  const [, sign = '', whole = '0', rest = ''] = /^(-?)(\d+)(.*)$/.exec(number) ?? []
  const parts = rest.match(/\d+|[A-Za-z]/g) ?? []
  const fraction = parts.reduce(
    (sum, part, index) =>
      sum + (/\d/.test(part) ? Number(part) : part.toLowerCase().charCodeAt(0) - 96) / 1000 ** (index + 1),
    0,
  )
  return (sign === '-' ? -1 : 1) * Number(whole) + fraction
}

/** Numbers are labels, but what looks like a slip is told. */
export function checkNumbers(series: Series, file: string): readonly Diagnostic[] {
  const what = series.word === '' ? 'Number' : `${series.word[0]?.toUpperCase() ?? ''}${series.word.slice(1)}`
  const lines = new Map<string, number>()
  return series.entries.flatMap((entry, index) => {
    const place = { file, line: entry.line, column: 1 }
    const before = series.entries[index - 1]
    const double = lines.get(entry.number)
    lines.set(entry.number, double ?? entry.line)
    if (double !== undefined)
      return [diagnose('HF201', place, `${what} ${entry.number} stands already at line ${double}.`)]
    if (before === undefined) return []
    const step = rank(entry.number) - rank(before.number)
    if (step < 0) return [diagnose('HF203', place, `${what} ${entry.number} comes after ${before.number}.`)]
    if (isGap(before.number, entry.number))
      return [diagnose('HF202', place, `Between ${before.number} and ${entry.number} a number is missing.`)]
    return []
  })
}

function isGap(before: string, now: string): boolean {
  const last = Number(/-(\d+)$/.exec(before)?.[1] ?? Math.floor(rank(before)))
  return Math.floor(rank(now)) - last > 1
}
