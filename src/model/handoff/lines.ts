import { linesOfText } from '../text/prose.ts'

/** One line of a text, with its own end. */
export interface Line {
  readonly text: string
  /** A line break as it was written; empty if the text ends here. */
  readonly end: string
  /** Whether it is in a code fence. */
  readonly isCode: boolean
}

/** A text as lines, from which the same bytes come back. */
export interface Lines {
  /** The byte order mark, if the text begins with one. */
  readonly mark: string
  readonly lines: readonly Line[]
  /** True if the last code fence has no end. */
  readonly isFenceOpen: boolean
}

const BYTE_ORDER_MARK = '\uFEFF'

/** Splits a text into its lines. */
export function toLines(text: string): Lines {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const found: { readonly text: string; readonly isCode: boolean }[] = []
  // One line more than there are: it is code only if no fence ended it.
  for (const { text: line, isCode } of linesOfText(`${text.slice(mark.length)}\n`))
    found.push({ text: line, isCode })
  const isFenceOpen = found.pop()?.isCode === true
  const last = found.pop()
  const lines = found.map(ended)
  if (last !== undefined && last.text !== '') lines.push({ ...last, end: '' })
  return { mark, lines, isFenceOpen }
}

/** Puts lines together again. */
export const toText = ({ mark, lines }: Pick<Lines, 'mark' | 'lines'>): string =>
  mark + lines.map(({ text, end }) => text + end).join('')

const ended = ({ text, isCode }: { readonly text: string; readonly isCode: boolean }): Line =>
  text.endsWith('\r') ? { text: text.slice(0, -1), end: '\r\n', isCode } : { text, end: '\n', isCode }

/** Lines to put in the place of others; `at` is the index of the first. */
export interface Change {
  readonly at: number
  readonly removes: number
  readonly puts: readonly string[]
}

/** The text after changes that do not overlap; every other line keeps its bytes. */
export function changed(file: Pick<Lines, 'mark' | 'lines'>, changes: readonly Change[]): string {
  const { mark, lines } = file
  const usual = lines.find(({ end }) => end !== '')?.end ?? '\n'
  const out: { text: string; end: string; isNew?: true }[] = []
  let at = 0
  for (const change of changes.toSorted((a, b) => a.at - b.at)) {
    for (; at < change.at; at++) out.push({ ...line(lines, at) })
    for (const [index, text] of change.puts.entries()) {
      const replaced = index < change.removes ? lines[change.at + index]?.end : undefined
      out.push({ text, end: replaced ?? usual, isNew: true })
    }
    at += change.removes
  }
  for (; at < lines.length; at++) out.push({ ...line(lines, at) })
  for (const one of out.slice(0, -1)) if (one.end === '') one.end = usual
  const last = out.at(-1)
  if (last?.isNew === true) last.end = lines.length === 0 ? usual : (lines.at(-1)?.end ?? '')
  return mark + out.map(({ text, end }) => text + end).join('')
}

const line = (lines: readonly Line[], at: number): { text: string; end: string } => {
  const { text = '', end = '' } = lines[at] ?? {}
  return { text, end }
}

/** The mark of a list item, at the beginning of a line. */
export const ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]+/

/** A heading of level 1 or 2, without its marks. */
export function headingOf({
  text,
  isCode,
}: Line): { readonly level: 1 | 2; readonly title: string } | undefined {
  const found = isCode ? null : /^ {0,3}(##?)(?:[ \t]|$)/.exec(text)
  if (found === null) return undefined
  const title = text.slice(found[0].length).trim()
  return { level: found[1] === '#' ? 1 : 2, title: withoutEndMarks(title) }
}

/** `## Title ##` is the same as `## Title`. */
function withoutEndMarks(title: string): string {
  let end = title.length
  while (end > 0 && title[end - 1] === '#') end--
  return end === title.length || (end > 0 && !/\s/.test(title[end - 1] ?? ''))
    ? title
    : title.slice(0, end).trim()
}

/** Where the content of some lines begins and ends, without the blank lines around it. */
export function contentIn(
  lines: readonly Line[],
  from: number,
  to: number,
): { readonly from: number; readonly to: number } {
  let [first, last] = [from, to]
  while (first < last && lines[first]?.text.trim() === '') first++
  while (last > first && lines[last - 1]?.text.trim() === '') last--
  return { from: first, to: last }
}
