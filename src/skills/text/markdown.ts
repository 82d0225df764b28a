import MarkdownIt from 'markdown-it'
import type { SourceText } from './text.ts'

export interface Heading {
  readonly kind: 'heading'
  readonly level: number
  readonly text: string
  /** The line in the file, counted from 1. */
  readonly line: number
}

export interface Fence {
  readonly kind: 'fence'
  readonly language: string
  readonly content: string
  readonly line: number
  readonly closed: boolean
}

export interface Item {
  readonly kind: 'item'
  /** The number, if the list is ordered. */
  readonly number: number | undefined
  readonly text: string
  readonly depth: number
  /** Whether other items of the same list come before. */
  readonly isLater: boolean
  readonly line: number
}

export interface Paragraph {
  readonly kind: 'paragraph'
  readonly text: string
  readonly line: number
}

/** Tags at the beginning of lines, up to the next empty line. */
export interface Html {
  readonly kind: 'html'
  readonly text: string
  readonly line: number
}

export type Block = Heading | Fence | Item | Paragraph | Html

/** Parses only blocks of normal lines, because inline syntax does not matter here and takes most of the time. */
const parser = new MarkdownIt('commonmark')
parser.core.ruler.disable(['normalize', 'inline', 'text_join'])

/** The blocks of a body in order; CommonMark rules decide between headings and code. */
export function readBlocks(source: SourceText, fromLine: number, toLine = Infinity): readonly Block[] {
  const body = source.lines.slice(fromLine, toLine).join('\n').replaceAll('\0', '\uFFFD')
  const blocks: Block[] = []
  const lists: List[] = []
  let item: Pick<Item, 'number' | 'line' | 'isLater'> | undefined
  let heading: { level: number; line: number } | undefined
  for (const token of parser.parse(body, {})) {
    const line = fromLine + (token.map?.[0] ?? 0) + 1
    switch (token.type) {
      case 'heading_open':
        // Authors use a line of hyphens below text as a rule more often than as a heading.
        if (!token.markup.startsWith('-')) heading = { level: Number(token.tag.slice(1)), line }
        break
      case 'bullet_list_open':
      case 'ordered_list_open':
        lists.push({ ordered: token.type === 'ordered_list_open', items: 0 })
        break
      case 'bullet_list_close':
      case 'ordered_list_close':
        lists.pop()
        break
      case 'list_item_open':
        item = itemOf(lists.at(-1), { number: Number(token.info), line })
        break
      case 'fence':
        blocks.push({
          kind: 'fence',
          language: languageOf(token.info),
          content: token.content,
          line,
          closed: isClosed(source, fromLine, token),
        })
        break
      case 'html_block':
        blocks.push({ kind: 'html', text: token.content, line })
        break
      case 'inline':
        if (heading !== undefined) blocks.push({ kind: 'heading', ...heading, text: token.content })
        else if (item !== undefined)
          blocks.push({ kind: 'item', ...item, depth: lists.length, text: token.content })
        else blocks.push({ kind: 'paragraph', text: token.content, line })
        heading = undefined
        item = undefined
        break
      default:
        break
    }
  }
  return blocks
}

interface List {
  readonly ordered: boolean
  items: number
}

const itemOf = (list: List | undefined, { number, line }: { number: number; line: number }) => ({
  number: list?.ordered === true ? number : undefined,
  line,
  isLater: list !== undefined && list.items++ > 0,
})

/** The line that closes a fence. */
export function lastLineOf({ line, content }: Fence): number {
  let last = line + 1
  // Splitting would copy the text of every fence.
  for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) last++
  return last
}

/** A text whose links are only their words; the bounds keep the time linear. */
export const withoutLinks = (text: string): string => text.replaceAll(LINK, '$1')
const LINK = /!?\[([^[\]\n]{0,200})\]\([^()\n]{0,500}\)/g

const languageOf = (info: string): string => info.trim().split(/\s+/)[0]?.toLowerCase() ?? ''

/** The parser also ends a fence at the end of its container; only a fence line closes it. */
function isClosed(
  source: SourceText,
  fromLine: number,
  token: { markup: string; map: [number, number] | null },
): boolean {
  const [start, end] = token.map ?? [0, 0]
  if (end - start < 2) return false
  const last = (source.lines[fromLine + end - 1] ?? '').replace(/^[\s>]*/, '').trimEnd()
  return last.startsWith(token.markup) && last.replaceAll(token.markup.charAt(0), '') === ''
}
