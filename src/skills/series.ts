import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import type { Block, Heading } from './text/markdown.ts'

/** A numbered heading, or as a last resort a bold line or a list item. */
export interface Entry {
  readonly word: string
  readonly number: string
  readonly title: string
  readonly line: number
}

/** Entries with the same word, the same level and consecutive numbers. */
export interface Series {
  readonly word: string
  readonly entries: readonly Entry[]
  readonly line: number
}

const WORDS = 'phase|step|stage|cycle'
const NUMBER = String.raw`-?\d{1,4}(?:\.(?:\d{1,4}|[A-Z]))*[a-zA-Z]?(?:[-–]\d{1,4})?`
// Chinese and Japanese keyboards produce the wide forms.
const SEPARATOR = String.raw`[:：—–.．、)）\-]`
const NAMED = new RegExp(String.raw`^(${WORDS})\s+(${NUMBER})(?!\w|\.[\d.])(.*)$`, 'is')
const BARE = new RegExp(
  String.raw`^(${NUMBER})(?:[.):]\s|[：．、）]|\s?[—–]\s|\s-\s|(?<=\.\d{1,4})\s)(.*)$`,
  's',
)
const BOLD = new RegExp(String.raw`^\*\*(${WORDS})\s+(${NUMBER})(?!\w|\.[\d.])([^*]*)\*\*(.*)$`, 'is')
/** Translated skills use these words for steps and phases. */
const TRANSLATED =
  /^(?:(步骤|步驟|ステップ|단계|adım|paso|passo|schritt|étape|etapa)|阶段|階段|フェーズ|aşama|fase)\s*(?=\d)/iu
const LEADING = new RegExp(String.raw`^\s*${SEPARATOR}`)
/** Markup and emoji before the words of a heading. */
const DECORATION = /^[*_`~\s\p{Extended_Pictographic}\u{fe0f}\u{200d}]+/u
const KEYCAP = /^(\d)\ufe0f?\u20e3\s*/

/** Headings above lists that describe something, and are no plan. */
const NO_PLAN =
  /\b(best practices?|examples?|capabilit(y|ies)|features?|tips?|notes?|references?|resources?|principles|guidelines|pitfalls|anti-?patterns|common mistakes|limitations|faqs?|key concepts|when to use|see also)\b/i
/** Headings above lists that are a plan. */
const PLAN = /\b(workflow|steps?|process|procedure|instructions|phases?)\b/i

/** The nearest heading that says so decides whether a list below it is a plan; most say nothing. */
function isPlanBelow(headings: readonly Heading[]): boolean | undefined {
  for (const [above, { text, level }] of headings.toReversed().entries()) {
    // The title of the file says nothing about its sections.
    if (level === 1 && above > 0) return undefined
    if (NO_PLAN.test(text)) return false
    if (PLAN.test(text) || entryOf(text) !== undefined) return true
  }
  return undefined
}

/** All series of a body, with the most likely plan first. */
export function findSeries(blocks: readonly Block[]): readonly Series[] {
  const fromHeadings = headingSeries(blocks)
  if (fromHeadings.length > 0) return fromHeadings
  const fromBold = boldSeries(blocks)
  if (fromBold.length > 0) return ranked(fromBold)
  const { meant, other } = listSeries(blocks)
  return [...ranked(meant), ...ranked(other)]
}

/** Sorts by length, then series with a word first, then by line. */
const ranked = <T extends Series>(all: readonly T[]): readonly T[] =>
  all.toSorted(
    (a, b) =>
      b.entries.length - a.entries.length || Number(a.word === '') - Number(b.word === '') || a.line - b.line,
  )

export function entryOf(text: string): Omit<Entry, 'line'> | undefined {
  const words = text
    .trim()
    .replace(DECORATION, '')
    .replace(KEYCAP, '$1. ')
    .replace(TRANSLATED, (_, step?: string) => (step === undefined ? 'Phase ' : 'Step '))
  const named = NAMED.exec(words)
  if (named !== null)
    return { word: (named[1] ?? '').toLowerCase(), number: compact(named[2]), title: afterNumber(named[3]) }
  const bare = BARE.exec(`${words} `)
  return bare === null ? undefined : { word: '', number: compact(bare[1]), title: tidy(bare[2]) }
}

/** Whether a title marks its step as optional. */
export const isOptional = (title: string): boolean =>
  /[([（]\s*(?:optional\b|opcional\b|可选|可選|任意|オプション|선택|opsiyonel|isteğe bağlı)/i.test(title)

/** The mode that a title names. */
export const onlyIn = (title: string): 'full' | 'quick' | undefined =>
  /\(full only\)/i.test(title) ? 'full' : /\(quick only\)/i.test(title) ? 'quick' : undefined

/** Spells a number without collisions: -2 is not 2, and 7-8 is not 7.8. */
export const idWords = (number: string): string =>
  number.replace(/^-/, 'minus ').replace(/(?<=\w)-(?=\d+$)/, ' to ')

const compact = (number: string | undefined): string => (number ?? '').replaceAll('–', '-')
const afterNumber = (rest: string | undefined): string => tidy((rest ?? '').replace(LEADING, ''))

function tidy(title: string | undefined): string {
  const text = (title ?? '').replaceAll(/\s+/g, ' ').trim()
  let [from, to] = [0, text.length]
  // A regular expression would take quadratic time on a long row of stars.
  while (text[from] === '*') from++
  while (to > from && text[to - 1] === '*') to--
  return text.slice(from, to).trim()
}

interface Run extends Series {
  readonly key: string
  /** The heading above the first entry. */
  readonly parent: Heading | undefined
  readonly entries: Entry[]
}

function headingSeries(blocks: readonly Block[]): readonly Series[] {
  const runs: Run[] = []
  const latest = new Map<string, Run>()
  const runOf = new Map<Heading, Run>()
  for (const { heading, above } of withParents(blocks)) {
    const parent = above.at(-1)
    const found = heading.level >= 2 && heading.level <= 4 ? entryOf(heading.text) : undefined
    if (found === undefined || (found.word === '' && isPlanBelow(above) === false)) continue
    const entry = { ...found, line: heading.line }
    const key = `${entry.word}/${heading.level}`
    const last = latest.get(key)
    // Numbers that continue below another heading are the same procedure; numbers that restart are a new one.
    const goesOn =
      last !== undefined &&
      (last.parent === parent ||
        (rank(entry.number) > rank(last.entries.at(-1)?.number ?? '') &&
          !areSteps(last.parent, parent, runOf)))
    const run = goesOn ? last : { key, parent, word: entry.word, line: entry.line, entries: [] }
    run.entries.push(entry)
    runOf.set(heading, run)
    latest.set(key, run)
    if (!goesOn) runs.push(run)
  }
  return outerFirst(runs, runOf).filter(({ entries }) => entries.length > 1)
}

/** Whether two headings are steps of one series, so that the entries below are their parts. */
function areSteps(
  one: Heading | undefined,
  other: Heading | undefined,
  runOf: ReadonlyMap<Heading, Run>,
): boolean {
  const run = one === undefined ? undefined : runOf.get(one)
  return run !== undefined && other !== undefined && runOf.get(other) === run
}

/** Ranks nested series last: if several steps have inner steps, those are parts, however many. */
function outerFirst(runs: readonly Run[], runOf: ReadonlyMap<Heading, Run>): readonly Run[] {
  const outerOf = (run: Run) => (run.parent === undefined ? undefined : runOf.get(run.parent))
  const inner = Map.groupBy(runs, (run) => `${outerOf(run)?.line ?? 0}/${run.key}`)
  const parts = new Set(
    [...inner.values()]
      .filter((group) => group.length > 1)
      .flat()
      .filter((run) => (outerOf(run)?.entries.length ?? 0) > 1),
  )
  return [...ranked(runs.filter((run) => !parts.has(run))), ...ranked([...parts])]
}

/** Pairs each heading with the headings above it in the outline, the nearest last. */
function withParents(
  blocks: readonly Block[],
): readonly { readonly heading: Heading; readonly above: readonly Heading[] }[] {
  let path: readonly Heading[] = []
  return blocks.flatMap((block) => {
    if (block.kind !== 'heading') return []
    const above = path.filter(({ level }) => level < block.level)
    path = [...above, block]
    return [{ heading: block, above }]
  })
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
            title: afterNumber(`${match[3] ?? ''} ${match[4]?.split('\n')[0] ?? ''}`),
            line: block.line,
          },
        ]
  })
  return [...Map.groupBy(entries, ({ word }) => word).values()]
    .filter((group) => group.length > 1)
    .map(toSeries)
}

/** Numbered lists count only at the left margin, and only if nothing else is numbered. */
function listSeries(blocks: readonly Block[]): {
  readonly meant: readonly Series[]
  readonly other: readonly Series[]
} {
  const outline = withParents(blocks)
  const runs: Entry[][] = []
  const below = new Map<Entry[], boolean | undefined>()
  let at = 0
  let isPlan: boolean | undefined
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const { heading, above } = outline[at++] ?? { heading: block, above: [] }
      isPlan = isPlanBelow([...above, heading])
    }
    if (block.kind !== 'item' || block.depth !== 1 || block.number === undefined) continue
    const entry = {
      word: '',
      number: String(block.number),
      title: tidy(block.text.split('\n')[0]),
      line: block.line,
    }
    if (block.number <= 1 || runs.length === 0) {
      const run = [entry]
      runs.push(run)
      below.set(run, isPlan)
    } else runs.at(-1)?.push(entry)
  }
  const series = (wanted: boolean | undefined) =>
    runs.filter((run) => run.length > 1 && below.get(run) === wanted).map(toSeries)
  return { meant: series(true), other: series(undefined) }
}

const toSeries = (entries: readonly Entry[]): Series => ({
  word: entries[0]?.word ?? '',
  entries,
  line: entries[0]?.line ?? 1,
})

/** A sortable form of a number: 2 < 2.1 < 2b < 3. */
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

/** Numbers are only labels, but likely mistakes get a diagnostic. */
export function checkNumbers(series: Series, file: string): readonly Diagnostic[] {
  const what = series.word === '' ? 'Number' : `${series.word[0]?.toUpperCase() ?? ''}${series.word.slice(1)}`
  const lines = new Map<string, number>()
  return series.entries.flatMap((entry, index) => {
    const place = { file, line: entry.line, column: 1 }
    const before = series.entries[index - 1]
    const double = lines.get(entry.number)
    lines.set(entry.number, double ?? entry.line)
    if (double !== undefined)
      return [diagnose('HF201', place, `${what} ${entry.number} is already used at line ${double}.`)]
    if (before === undefined) return []
    if (descends(before.number, entry.number))
      return [diagnose('HF203', place, `${what} ${entry.number} comes after ${before.number}.`)]
    if (isGap(before.number, entry.number))
      return [diagnose('HF202', place, `A number is missing between ${before.number} and ${entry.number}.`)]
    return []
  })
}

/** Accepts both decimals (4.75, 4.8) and sections (4.9, 4.10) as ascending. */
const descends = (before: string, now: string): boolean =>
  rank(now) < rank(before) && !(Number(now) > Number(before))

function isGap(before: string, now: string): boolean {
  const last = Number(/(?<=\w)-(\d+)$/.exec(before)?.[1] ?? Math.floor(rank(before)))
  return Math.floor(rank(now)) - last > 1
}
