import { RUNBOOK_MODELS, type RunbookModel } from '../../model/runbook/runbook.ts'
import type { Place } from '../../model/diagnostic.ts'
import type { Block } from '../text/markdown.ts'
import type { Part } from './part.ts'

/** What a section says about how it is done. */
export type FieldName = 'model' | 'report' | 'turns'

/** A field as written, with the place of its value. */
export interface WrittenField {
  readonly name: FieldName
  readonly value: string
  readonly place: Place
}

const NAMES: Readonly<Record<string, FieldName>> = {
  'execution model': 'model',
  'report path': 'report',
  'max turns': 'turns',
}
const MARKUP = String.raw`[*_\s]*`
const FIELD = new RegExp(
  String.raw`^${MARKUP}(execution model|report path|max turns)${MARKUP}[:：]${MARKUP}(.*)$`,
  'i',
)
const LONE = /^\W*(execution model|report path|max turns)\W*$/i

/** True for a heading that is a field, such as `#### Execution Model: sonnet`, and divides nothing. */
export const isFieldHeading = (text: string): boolean => FIELD.test(text) || LONE.test(text)

/** The lines of a part from one up to another, both counted from 1; the last is not included. */
export interface Lines {
  readonly part: Part
  readonly from: number
  readonly to: number
}

/** The text of some lines, without blank lines and rules around it. */
export function textIn({ part: { source }, from, to }: Lines): string {
  const isBare = (line: string | undefined) => line !== undefined && /^\s*(?:-{3,}\s*)?$/.test(line)
  let [first, last] = [from - 1, to - 1]
  while (first < last && (source.lines[first] ?? '').trim() === '') first++
  while (last > first && isBare(source.lines[last - 1])) last--
  return source.lines.slice(first, last).join('\n')
}

/** The blocks that begin in these lines. */
export function blocksIn({ part: { blocks }, from, to }: Lines): readonly Block[] {
  const first = firstAt(blocks, from)
  return blocks.slice(first, firstAt(blocks, to))
}

/** The first block at a line or after it; the blocks are in order. */
function firstAt(blocks: readonly Block[], line: number): number {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((blocks[middle]?.line ?? 0) < line) low = middle + 1
    else high = middle
  }
  return low
}

/** The first of each field in these lines. Fields in code are text. */
export function fieldsIn(lines: Lines): ReadonlyMap<FieldName, WrittenField> {
  const found = new Map<FieldName, WrittenField>()
  let lone: FieldName | undefined
  for (const { text, line } of textLines(blocksIn(lines))) {
    const [, name = '', value = ''] = FIELD.exec(text) ?? []
    const own = NAMES[name.toLowerCase().replaceAll(/\s+/g, ' ')] ?? lone
    lone = NAMES[LONE.exec(text)?.[1]?.toLowerCase() ?? '']
    if (own === undefined || found.has(own)) continue
    const plain = (name === '' ? text : value).replaceAll(/[`*]/g, '').trim()
    if (plain === '') continue
    found.set(own, { name: own, value: plain, place: placeOf(lines.part, line, plain) })
  }
  return found
}

interface TextLine {
  readonly text: string
  readonly line: number
}

/** The lines of headings, paragraphs and list items. */
export const textLines = (blocks: readonly Block[]): readonly TextLine[] =>
  blocks.flatMap((block) =>
    block.kind === 'fence' || block.kind === 'html'
      ? []
      : block.text.split('\n').map((text, at) => ({ text, line: block.line + at })),
  )

/** Where a text stands in a line. */
export function placeOf({ source }: Part, line: number, text: string): Place {
  const at = (source.lines[line - 1] ?? '').indexOf(text)
  return { file: source.file, line, column: Math.max(at, 0) + 1 }
}

/** The model that a text begins with, or the only one that it names; undefined for none, and for a choice. */
export function modelIn(text: string): RunbookModel | undefined {
  const [, first] = FIRST_MODEL.exec(text) ?? []
  const words = new Set((first ?? text).toLowerCase().match(/[a-z]+/g))
  const named = RUNBOOK_MODELS.filter((model) => words.has(model))
  return named.length === 1 ? named[0] : undefined
}

const FIRST_MODEL = new RegExp(
  String.raw`^\W*(${RUNBOOK_MODELS.join('|')})\b(?!\s*(?:[/|,+→]|or\b|and\b|then\b))`,
  'i',
)

const MOST_TURNS = 10_000

/** A number of turns as written, such as `25` or `25 turns`. */
export function turnsIn(text: string): number | undefined {
  const number = Number(/^(\d{1,6})\b(?![.,]\d)/.exec(text)?.[1])
  return number >= 1 && number <= MOST_TURNS ? number : undefined
}
