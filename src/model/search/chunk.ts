import { masked } from '../secrets.ts'

/** A piece of a text that a search finds as a whole. */
export interface Chunk {
  /** The line of the text where it begins, from 1. */
  readonly line: number
  /** The title and the headings above it, such as `Guide > Install > Linux`. */
  readonly heading: string
  readonly text: string
}

/** About 256 tokens, which is what small models of meaning read. */
const ROOM = 1100
/** Beyond it, the rest of a text is not indexed. */
export const MOST_TEXT = 1_000_000
/** They are written in one transaction, for which hooks wait. */
export const MOST_PIECES = 4000

/**
 * Splits a text for the index: at headings, then between blocks, and inside of a block only if it is too long by itself.
 * Fenced code is one block. Never throws, and takes linear time.
 */
export function chunksOf(text: string, title: string): readonly Chunk[] {
  const chunks: Chunk[] = []
  const storable = masked(text.slice(0, MOST_TEXT)).toWellFormed().replaceAll('\0', '\u{fffd}')
  for (const { heading, blocks } of sectionsOf(storable, title))
    for (const { line, text: found } of packed(blocks)) chunks.push({ line, heading, text: found })
  return chunks.slice(0, MOST_PIECES)
}

interface Block {
  readonly line: number
  readonly text: string
}

interface Section {
  readonly heading: string
  readonly blocks: Block[]
}

/** Each part begins where the one before cannot go on, so that no line takes long. */
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/
const LONGEST_HEADING = 300
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The blocks below each heading; a blank line ends a block, except in fenced code. */
function sectionsOf(text: string, title: string): readonly Section[] {
  const above: string[] = [title]
  let section: Section = { heading: title, blocks: [] }
  const sections = [section]
  let fence: string | undefined
  let open: string[] = []
  let start = 1
  const close = () => {
    if (open.length > 0) section.blocks.push({ line: start, text: open.join('\n') })
    open = []
  }
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    const { depth, name } = (fence === undefined ? headingIn(row) : undefined) ?? {}
    if (depth !== undefined && name !== undefined) {
      close()
      // A first heading that repeats the title says nothing more.
      above.splice(depth === 1 && name.toLowerCase() === title.toLowerCase() ? 0 : depth)
      while (above.length < depth && above.length > 0) above.push('')
      above.push(name)
      section = { heading: above.filter((part) => part !== '').join(' > '), blocks: [] }
      sections.push(section)
      continue
    }
    const [, mark] = FENCE.exec(row) ?? []
    if (fence === undefined && row.trim() === '') {
      close()
      continue
    }
    if (open.length === 0) start = index + 1
    open.push(row)
    if (mark === undefined) continue
    if (fence === undefined) fence = mark
    else if (mark.startsWith(fence)) fence = undefined
  }
  close()
  return sections
}

/** The heading that a line is, without the marks that may end it. */
function headingIn(row: string): { readonly depth: number; readonly name: string } | undefined {
  const [, marks = '', rest = ''] = HEADING.exec(row) ?? []
  const whole = rest.trimEnd()
  if (whole === '' || whole.length > LONGEST_HEADING) return undefined
  const name = whole.replace(/(?:^|[ \t]+)#+$/, '')
  return name === '' ? undefined : { depth: marks.length, name }
}

/** As many blocks together as fit. */
function packed(blocks: readonly Block[]): readonly Block[] {
  const chunks: Block[] = []
  let room: { line: number; texts: string[]; length: number } | undefined
  const close = () => {
    if (room !== undefined) chunks.push({ line: room.line, text: room.texts.join('\n\n') })
    room = undefined
  }
  for (const block of blocks.flatMap(split)) {
    if (room !== undefined && room.length + block.text.length > ROOM) close()
    room ??= { line: block.line, texts: [], length: 0 }
    room.texts.push(block.text)
    room.length += block.text.length + 2
  }
  close()
  return chunks
}

/** A block that is too long, in pieces that end with a line where one ends. */
function split({ line, text }: Block): readonly Block[] {
  if (text.length <= ROOM) return [{ line, text }]
  const pieces: Block[] = []
  let at = line
  let rest = ''
  const close = (next: number) => {
    if (rest !== '') pieces.push({ line: at, text: rest })
    rest = ''
    at = next
  }
  for (const [index, row] of text.split('\n').entries()) {
    if (rest.length + row.length + 1 > ROOM) close(line + index)
    for (const part of row.length > ROOM ? cutEvery(row, ROOM) : [row]) {
      if (rest.length + part.length + 1 > ROOM) close(line + index)
      rest = rest === '' ? part : `${rest}\n${part}`
    }
  }
  close(at)
  return pieces
}

/** Pieces of equal length, of which none splits a character in two. */
function cutEvery(row: string, length: number): readonly string[] {
  const pieces: string[] = []
  for (let from = 0; from < row.length;) {
    const end = from + length
    const last = row.charCodeAt(end - 1)
    const to = last >= 0xd800 && last <= 0xdbff ? end + 1 : end
    pieces.push(row.slice(from, to))
    from = to
  }
  return pieces
}
