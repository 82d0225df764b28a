import type { Block, Fence, Heading, Html, Item, Paragraph } from '../text/markdown.ts'
import { afterNumber, compact, type Entry, entryOf, plainTitle, orderOf } from './entry.ts'

/** Entries with the same word, of the same kind and level, in the order of the file. */
export interface Series {
  readonly word: string
  readonly entries: readonly Entry[]
  readonly line: number
}

/** A series with the place it has in the file. */
export interface PlacedSeries extends Series {
  readonly form: 'tag' | 'heading' | 'bold' | 'list'
  /** The headings above the first entry, the nearest last. */
  readonly above: readonly Heading[]
  /** The line above the first item of a list, as far as it announces something. */
  readonly lead: string
  readonly entries: Entry[]
}

/** All series of a body, with at least two entries each. */
export function findSeries(blocks: readonly Block[]): readonly PlacedSeries[] {
  const seen: Seen = {
    found: [],
    headings: new Map(),
    seriesOf: new Map(),
    fenced: new Set(),
    above: [],
    before: undefined,
  }
  for (const block of blocks) {
    if (block.kind === 'heading') addHeading(seen, block)
    else if (block.kind === 'item' && block.depth === 1 && block.number !== undefined)
      addItem(seen, block, block.number)
    else if (block.kind === 'fence') addFence(seen, block)
    else addLine(seen, block)
    seen.before = block
  }
  return seen.found.filter((series) => series.entries.length > 1 && !isTorn(series, seen))
}

interface Seen {
  readonly found: PlacedSeries[]
  /** The latest series of headings by word and level. */
  readonly headings: Map<string, PlacedSeries>
  readonly seriesOf: Map<Heading, PlacedSeries>
  /** The first steps of series in code, by word. */
  readonly fenced: Set<string>
  above: readonly Heading[]
  /** The series of list items or bold lines that goes on, if no heading came between. */
  list?: PlacedSeries | undefined
  bold?: PlacedSeries | undefined
  tag?: PlacedSeries | undefined
  before: Block | undefined
}

function addFence({ fenced }: Seen, { content }: Fence): void {
  if (!content.includes('#')) return
  for (const [, text = ''] of content.matchAll(/^#{1,6} (.{1,200})/gm)) {
    const found = entryOf(text)
    if (found?.number === '1') fenced.add(found.word)
  }
}

/** Whether a series is the rest of an example whose first step is in code. */
const isTorn = ({ word, entries }: PlacedSeries, { fenced }: Seen): boolean =>
  orderOf(entries[0]?.number ?? '') >= 2 && fenced.has(word)

function open(
  seen: Seen,
  form: PlacedSeries['form'],
  entry: Entry,
  rest: Partial<PlacedSeries> = {},
): PlacedSeries {
  const series = {
    form,
    word: entry.word,
    line: entry.line,
    entries: [entry],
    above: seen.above,
    lead: '',
    ...rest,
  }
  seen.found.push(series)
  return series
}

function addHeading(seen: Seen, heading: Heading): void {
  const above = seen.above.filter(({ level }) => level < heading.level)
  seen.above = [...above, heading]
  seen.bold = undefined
  const found = heading.level >= 2 && heading.level <= 4 ? entryOf(heading.text) : undefined
  if (found === undefined) return
  const entry = { ...found, line: heading.line }
  const key = `${entry.word}/${heading.level}`
  const last = seen.headings.get(key)
  const parent = above.at(-1)
  const lastParent = last?.above.at(-1)
  // Numbers that continue below another heading are the same procedure; numbers that restart are a new one.
  const goesOn =
    last !== undefined &&
    (lastParent === parent ||
      (orderOf(entry.number) > orderOf(last.entries.at(-1)?.number ?? '') &&
        !areSteps(lastParent, parent, seen)))
  if (goesOn) {
    // A heading for several steps that follow, such as Phases 1-6, is none itself.
    if (covers(last.entries.at(-1)?.number ?? '', entry.number)) last.entries.pop()
    last.entries.push(entry)
  }
  const series = goesOn ? last : open(seen, 'heading', entry, { above })
  seen.headings.set(key, series)
  seen.seriesOf.set(heading, series)
}

function covers(range: string, number: string): boolean {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(range) ?? []
  return from !== undefined && orderOf(number) >= Number(from) && orderOf(number) <= Number(to)
}

/** Whether two headings are steps of one series, so that the entries below are their parts. */
function areSteps(one: Heading | undefined, other: Heading | undefined, { seriesOf }: Seen): boolean {
  const series = one === undefined ? undefined : seriesOf.get(one)
  return series !== undefined && other !== undefined && seriesOf.get(other) === series
}

function addItem(seen: Seen, item: Item, number: number): void {
  const { before } = seen
  const list = listAt(seen, number)
  const last = Number(list?.entries.at(-1)?.number)
  // Authors may number every item 1, which is shown as 1, 2, 3.
  const isOnes = number === 1 && before?.kind === 'item' && last >= 1 && list?.entries[0]?.number === '1'
  const next = isOnes && item.isLater ? last + 1 : number
  const entry = { word: '', number: String(next), title: plainTitle(item.text), line: item.line }
  if (list !== undefined && (next > last || (next === last && next > 1))) list.entries.push(entry)
  else seen.list = number > 1 ? undefined : open(seen, 'list', entry, { lead: leadOf(before) })
}

/** The list that a number may go on with: of the same section, or across headings within its last item. */
function listAt({ list, above }: Seen, number: number): PlacedSeries | undefined {
  const section = list?.above.at(-1)
  if (section === above.at(-1)) return list
  const isWithin = section === undefined || above.includes(section)
  return isWithin && number === Number(list?.entries.at(-1)?.number) + 1 ? list : undefined
}

/** The last line of a paragraph announces a list if it ends with a colon or is bold. */
function leadOf(before: Block | undefined): string {
  const line = before?.kind === 'paragraph' ? (before.text.split('\n').at(-1)?.trim() ?? '') : ''
  return /[:：]\**$/.test(line) || (line.startsWith('**') && line.endsWith('**')) ? line : ''
}

const BOLD = /^\*\*([^*\n]{1,200})\*\*(.*)$/
const TAG = /^\s*<step\s([^<>]{1,400})>/i

function addLine(seen: Seen, { kind, text, line }: Paragraph | Html | Item): void {
  if (kind !== 'item' && text.includes('<step'))
    for (const [offset, one] of text.split('\n').entries()) addTag(seen, one, line + offset)
  if (kind !== 'html' && text.startsWith('**')) addBold(seen, text.split('\n', 1)[0] ?? '', line)
}

function addBold(seen: Seen, text: string, line: number): void {
  const [, label = '', rest = ''] = BOLD.exec(text) ?? []
  const found = entryOf(label)
  if (found === undefined || !/^(?:\W|$)/.test(rest)) return
  const title = found.title === '' ? afterNumber(rest) : found.title
  const entry = { ...found, title, line }
  const last = seen.bold
  if (last?.word === entry.word && orderOf(entry.number) > orderOf(last.entries.at(-1)?.number ?? ''))
    last.entries.push(entry)
  else seen.bold = open(seen, 'bold', entry)
}

/** Steps in tags: `<step n="1" goal="title">`. */
function addTag(seen: Seen, text: string, line: number): void {
  const [, fields = ''] = TAG.exec(text) ?? []
  const number = /\bn(?:umber)?="(\d[\w.]{0,7})"/.exec(fields)?.[1]
  if (number === undefined) return
  const title = plainTitle(/\b(?:goal|title|name)="([^"]*)"/.exec(fields)?.[1])
  const entry = { word: 'step', number: compact(number), title, line }
  if (seen.tag === undefined) seen.tag = open(seen, 'tag', entry)
  else seen.tag.entries.push(entry)
}
