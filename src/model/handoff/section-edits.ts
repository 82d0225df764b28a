import { changed, contentIn, headingOf, ITEM, type Line, toLines } from './lines.ts'
import type { FieldFault } from './problem.ts'
import {
  readSessionFile,
  SECTION_KINDS,
  SECTION_TITLES,
  type SectionKind,
  sectionOf,
  type SectionPlace,
} from './session-file.ts'

/** A new session file, without a section. */
export const emptySessionFile = (date: string): string => `# Session Handoff: ${date}\n`

/** Makes a missing section at its place in the order of sections. */
export function newSection(text: string, kind: SectionKind, puts: readonly string[]): string {
  const file = readSessionFile(text)
  const later = new Set(SECTION_KINDS.slice(SECTION_KINDS.indexOf(kind) + 1))
  const next = file.sections.find((section) => section.kind !== undefined && later.has(section.kind))
  return putSection(text, SECTION_TITLES[kind], { at: next?.at, puts })
}

/** Puts a section before a line, else at the end. */
function putSection(
  text: string,
  title: string,
  { at: before, puts }: { readonly at?: number | undefined; readonly puts: readonly string[] },
): string {
  const { lines, mark } = readSessionFile(text)
  const at = before ?? lines.length
  const isFirst = at === 0 || lines[at - 1]?.text.trim() === ''
  const behind = before === undefined ? [] : ['']
  return changed({ mark, lines }, [
    { at, removes: 0, puts: [...(isFirst ? [] : ['']), `## ${title}`, '', ...puts, ...behind] },
  ])
}

/** Replaces the content of a section; the blank lines around it stay. */
export function replaceSection(text: string, kind: SectionKind, puts: readonly string[]): string {
  const file = readSessionFile(text)
  const section = sectionOf(file, kind)
  if (section === undefined) return puts.length === 0 ? text : newSection(text, kind, puts)
  const { from, to } = contentIn(file.lines, section.at + 1, section.end)
  if (from === to) return puts.length === 0 ? text : changed(file, [behindHeading(file.lines, section, puts)])
  return changed(file, [{ at: from, removes: to - from, puts }])
}

/** Adds the blocks of a section that it does not have yet. */
export function mergeSection(
  text: string,
  { kind, title }: Pick<SectionPlace, 'kind' | 'title'>,
  words: readonly string[],
): string {
  const file = readSessionFile(text)
  const key = title.toLowerCase()
  const section =
    kind === undefined
      ? file.sections.find((one) => one.kind === undefined && one.title.toLowerCase() === key)
      : sectionOf(file, kind)
  const known = new Set(
    section === undefined
      ? []
      : blocksIn(file.lines.slice(section.at + 1, section.end).map((line) => line.text)).map(keyOf),
  )
  const fresh: (readonly string[])[] = []
  for (const block of blocksIn(words)) {
    if (known.has(keyOf(block))) continue
    known.add(keyOf(block))
    fresh.push(block)
  }
  if (fresh.length === 0) return text
  if (section === undefined)
    return kind === undefined
      ? putSection(text, title, { puts: joined(fresh) })
      : newSection(text, kind, joined(fresh))
  const { from, to } = contentIn(file.lines, section.at + 1, section.end)
  if (from === to) return changed(file, [behindHeading(file.lines, section, joined(fresh))])
  const last = file.lines[to - 1]?.text ?? ''
  const isList = isItem(fresh[0]?.[0] ?? '') && (isItem(last) || /^[ \t]/.test(last))
  return changed(file, [{ at: to, removes: 0, puts: [...(isList ? [] : ['']), ...joined(fresh)] }])
}

/** Lines behind the heading of a section without content. */
export function behindHeading(lines: readonly Line[], { at, end }: SectionPlace, puts: readonly string[]) {
  // A blank line behind the heading stays behind the new lines.
  const hasGap = at + 1 < end || end >= lines.length
  return { at: at + 1, removes: 0, puts: ['', ...puts, ...(hasGap ? [] : [''])] }
}

const isItem = (text: string): boolean => ITEM.test(text)

/** List items and paragraphs with the lines that belong to them. */
function blocksIn(words: readonly string[]): readonly (readonly string[])[] {
  const blocks: string[][] = []
  let before = { isGap: true, isCode: false }
  for (const { text, isCode } of toLines(words.join('\n')).lines) {
    const isBlank = text.trim() === ''
    const goesOn = isBlank || /^[ \t]/.test(text) || (isCode && before.isCode)
    if (!goesOn && (before.isGap || isItem(text))) blocks.push([text])
    else blocks.at(-1)?.push(text)
    before = { isGap: isBlank, isCode }
  }
  return blocks.map((block) => withoutEnd(block))
}

function withoutEnd(block: readonly string[]): readonly string[] {
  let end = block.length
  while (end > 0 && block[end - 1]?.trim() === '') end--
  return block.slice(0, end)
}

const keyOf = (block: readonly string[]): string => block.join(' ').split(/\s+/).filter(Boolean).join(' ')

/** Items follow each other; paragraphs have a blank line between them. */
const joined = (blocks: readonly (readonly string[])[]): readonly string[] =>
  blocks.flatMap((block, index) => [...(index === 0 || isItem(block[0] ?? '') ? [] : ['']), ...block])

/** What keeps words out of a section, whose end nobody would find behind them; undefined if nothing does. */
export function wordsFault(field: string, words: string): FieldFault | undefined {
  const { lines, isFenceOpen } = toLines(words)
  if (lines.some((line) => headingOf(line) !== undefined))
    return {
      field,
      message: `${field} has a heading of level 1 or 2, which would end its section. Use ###.`,
    }
  if (isFenceOpen) return { field, message: `${field} has a code fence without an end.` }
  return undefined
}
