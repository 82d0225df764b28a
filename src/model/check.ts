import { anyOf, linesOfText, type ProseWord, wordsOfProse } from './text/prose.ts'

/** One check of an effort and its findings. */
export interface Check {
  readonly check: string
  readonly pass: boolean
  readonly detail: string
  /** The file; empty if the finding is in none. */
  readonly findings: readonly Finding[]
}

export interface Finding {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly text: string
}

/** A file and its text. */
export interface TextFile {
  readonly file: string
  readonly text: string
}

const TAG = /^#(needs|delegated|next|claimed|active|done)-[a-z0-9]/i
const OF_TAGS = {
  sign: '#',
  isOfWord: anyOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'),
}

/** Bare tags in the text; parts of URLs and words do not count. */
const tagsOf = (text: string): readonly ProseWord[] =>
  [...wordsOfProse(text, OF_TAGS)].filter(
    ({ word, before }) => TAG.test(word) && !/[\p{L}\p{N}/#&]/u.test(before),
  )

/** A tag has its own line or is quoted; any other tag is a leftover. */
export function bareTags({ file, text }: TextFile): readonly Finding[] {
  const tags = tagsOf(text)
  if (tags.length === 0) return []
  const lines = text.split('\n')
  return tags
    .filter(({ line }) => !/^\s*\*\*Tags\*\*\s*:/i.test(lines[line - 1] ?? ''))
    .map(({ word, line }) => ({ file, line, text: word }))
}

interface Box {
  readonly text: string
  readonly done: boolean
  readonly line: number
  readonly indent: number
  readonly children: Box[]
}

const BOX = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\]\s+(.*)$/

/** The check boxes outside of code, by section; a box indented further belongs to the one above. */
function sectionsOf(text: string): readonly (readonly Box[])[] {
  const sections: Box[][] = [[]]
  let path: Box[] = []
  for (const { text: written, line, isCode } of linesOfText(text)) {
    if (isCode) continue
    if (/^\s{0,3}#{1,6}\s/.test(written)) {
      sections.push([])
      path = []
    }
    const [, blank = '', mark = '', label = ''] = BOX.exec(written) ?? []
    if (mark === '') continue
    const indent = blank.replaceAll('\t', '    ').length
    const box: Box = { text: label.trim(), done: mark !== ' ', line, indent, children: [] }
    while ((path.at(-1)?.indent ?? -1) >= indent) path.pop()
    const siblings = path.at(-1)?.children ?? sections.at(-1) ?? []
    siblings.push(box)
    path.push(box)
  }
  return sections
}

/**
 * What is left to tick. Boxes with boxes below them are alternatives: one of a section is ticked, with all that
 * is below it, and the others stay as they are.
 */
export function openBoxes({ file, text }: TextFile): readonly Finding[] {
  return sectionsOf(text)
    .flatMap(owed)
    .map((found) => ({ file, ...found }))
}

interface Owed {
  readonly line: number
  readonly text: string
}

function owed(boxes: readonly Box[]): readonly Owed[] {
  const alternatives = boxes.filter(({ children }) => children.length > 0)
  const chosen = alternatives.filter(({ done }) => done)
  const [first, second] = [alternatives[0], chosen[1]]
  return [
    ...boxes.filter(({ done, children }) => !done && children.length === 0).map(unticked),
    ...(first !== undefined && chosen.length === 0
      ? [{ line: first.line, text: `none of the alternatives is ticked: ${first.text}` }]
      : []),
    ...(second === undefined
      ? []
      : [{ line: second.line, text: `a second alternative is ticked: ${second.text}` }]),
    ...[...allBelow(chosen)].filter(isOpen).map(unticked),
  ].toSorted((a, b) => a.line - b.line)
}

const isOpen = ({ done }: Box): boolean => !done
const unticked = ({ line, text }: Box): Owed => ({ line, text: `not ticked: ${text}` })

/** Boxes with their children, in text order. */
function* allBelow(boxes: readonly Box[]): Generator<Box> {
  const waiting = boxes.toReversed()
  for (let box = waiting.pop(); box !== undefined; box = waiting.pop()) {
    yield box
    for (const child of box.children.toReversed()) waiting.push(child)
  }
}

/** Items of a checklist that no filled checklist repeats word for word. */
export function unprocessed(asked: TextFile, filled: readonly TextFile[]): readonly Finding[] {
  const texts = (file: TextFile) => [...allBelow(sectionsOf(file.text).flat())]
  const answered = new Set(filled.flatMap(texts).map(({ text }) => text))
  return texts(asked)
    .filter(({ text }) => !answered.has(text))
    .map(({ line, text }) => ({ file: asked.file, line, text: `not processed: ${text}` }))
}

/** A request is answered if its Response section has text and no #needs tag is left. */
export function unanswered({ file, text }: TextFile): readonly Finding[] {
  const needed = tagsOf(text)
    .filter(({ word }) => /^#needs-/i.test(word))
    .map(({ word, line }) => ({ file, line, text: `still says ${word}` }))
  const response = responseIn(text)
  if (response.kind === 'answered') return needed
  const missing =
    response.kind === 'none' ? 'the section "## Response" is missing' : 'the section "## Response" is empty'
  return [...needed, { file, line: response.line, text: missing }]
}

function responseIn(text: string): { readonly kind: 'none' | 'empty' | 'answered'; readonly line: number } {
  let heading: { readonly depth: number; readonly line: number } | undefined
  let empty: number | undefined
  for (const { text: written, line, isCode } of linesOfText(text)) {
    const depth = isCode ? undefined : /^\s{0,3}(#{1,6})\s/.exec(written)?.[1]?.length
    if (depth === undefined) {
      if (heading !== undefined && written.trim() !== '') return { kind: 'answered', line: heading.line }
    } else if (heading === undefined || depth <= heading.depth) {
      heading = RESPONSE.test(written) ? { depth, line } : undefined
      empty = heading?.line ?? empty
    }
  }
  return empty === undefined ? { kind: 'none', line: 1 } : { kind: 'empty', line: empty }
}

const RESPONSE = /^\s{0,3}##+\s+Response(?=\s|:|$)/i
