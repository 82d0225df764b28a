import { isMap, isScalar, type LineCounter as Counter, LineCounter, parseDocument } from 'yaml'
import { type Diagnostic, diagnose, type Place } from '../../model/diagnostic.ts'
import { LONGEST_FRONTMATTER } from './bounds.ts'
import type { SourceText } from './text.ts'
import { faultInWords, PARSING, placeOfFault, plainField } from './yaml.ts'

/** A field with its value, its source text and its place. */
export interface Field {
  /** The YAML value, or a string if the field was recovered. */
  readonly value: unknown
  /** The text in the file: `1.0` stays `1.0`. */
  readonly source: string
  readonly place: Place
}

export interface Frontmatter {
  /** Keys are lower case with hyphens, because authors write both `user_invocable` and `user-invocable`. */
  readonly fields: ReadonlyMap<string, Field>
  /** The first line of the body, counted from 0. */
  readonly bodyLine: number
  /** The line after the body. */
  readonly bodyEnd: number
  readonly diagnostics: readonly Diagnostic[]
  readonly found: boolean
}

const normalKey = (key: string): string => key.trim().toLowerCase().replaceAll('_', '-')

const FENCE_LINE = /^(`{3,}|~{3,})\s*\w*\s*$/
const NOTHING: Frontmatter = {
  fields: new Map(),
  bodyLine: 0,
  bodyEnd: Infinity,
  diagnostics: [],
  found: false,
}

/** Reads the fields at the top of a file. Never throws, and recovers fields from invalid YAML. */
export function readFrontmatter(source: SourceText): Frontmatter {
  const { lines, file } = source
  const first = lines.findIndex((line) => line.trim() !== '')
  const fenced = isFence(lines[first])
  const isBare = fenced && isBareField(lines[first + 1])
  const open = fenced && !isBare ? first + 1 : first
  if (!isBare && !isRule(lines[open])) return NOTHING
  const { read, bodyLine, closed } = readFields(source, open + 1, isBare ? isFence : isEnd)
  // Without fields, a line of hyphens at the top is a horizontal rule.
  if (!closed && read.fields.size === 0) return NOTHING
  const place = { file, line: first + 1, column: 1 }
  const diagnostics = [
    ...(fenced ? [diagnose('HF103', place, 'The frontmatter is inside a code fence.')] : []),
    ...(closed ? [] : [neverClosed({ ...place, line: open + 1 }, bodyLine)]),
  ]
  const isClosedHere = isBare || isFence(lines[bodyLine])
  return {
    fields: read.fields,
    bodyLine: fenced && !isBare && isClosedHere ? bodyLine + 1 : bodyLine,
    bodyEnd: fenced && !isClosedHere ? endOfFence(lines) : lines.length,
    diagnostics: [...diagnostics, ...read.diagnostics, ...(closed ? secondBlock(source, bodyLine) : [])],
    found: true,
  }
}

/** The two lines of a fence around frontmatter or around the whole file, counted from 0; undefined if they are unclear. */
export function fencedFrontmatter(
  lines: readonly string[],
): { readonly from: number; readonly to: number; readonly isBare: boolean } | undefined {
  const from = lines.findIndex((line) => line.trim() !== '')
  if (!isFence(lines[from])) return undefined
  const isBare = isBareField(lines[from + 1])
  if (!isBare && !isRule(lines[from + 1])) return undefined
  const end = lines.findIndex((line, index) => index > from + 1 && (isBare ? isFence(line) : isRule(line)))
  if (end === -1) return undefined
  if (isBare) return { from, to: end, isBare }
  const last = lines.findLastIndex((line) => line.trim() !== '')
  const to = isFence(lines[end + 1]) ? end + 1 : last
  // Inside a fence around everything, the other fences come in pairs.
  const inner = lines.slice(end + 1, to).filter((line) => /^\s*(`{3,}|~{3,})/.test(line))
  return isFence(lines[to]) && inner.length % 2 === 0 ? { from, to, isBare } : undefined
}

const isBareField = (line: string | undefined): boolean => /^(name|description)\s*:/i.test(line ?? '')
const isFence = (line: string | undefined): boolean => FENCE_LINE.test(line ?? '')
/** A fence around the whole file ends at its last line. */
const endOfFence = (lines: readonly string[]): number => {
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return isFence(lines[last]) ? last : lines.length
}
const isRule = (line: string | undefined): boolean => /^---\s*$/.test(line ?? '')
const isEnd = (line: string): boolean => isRule(line) || /^\.\.\.\s*$/.test(line)

/** Reads up to the closing line, or up to the body if the frontmatter is never closed. */
function readFields(source: SourceText, from: number, closes: (line: string) => boolean) {
  const { lines } = source
  const close = lines.findIndex((line, index) => index >= from && closes(line))
  const body = endOfFields(lines, from)
  if (close !== -1) {
    const read = readYaml(source, { from, to: close })
    if (read.diagnostics.length === 0 || !isBody(lines.slice(body, close)))
      return { read, bodyLine: close + 1, closed: true }
  }
  return { read: readYaml(source, { from, to: body }), bodyLine: body, closed: false }
}

/** Whether invalid YAML looks like a body that starts with a heading, not like fields with a comment. */
function isBody(lines: readonly string[]): boolean {
  const written = lines.filter((line) => line.trim() !== '')
  if (!/^#{1,6}\s/.test(written[0] ?? '')) return false
  const fields = written.filter((line) => FIELD_LINE.test(line)).length
  const others = written.filter((line) => !/^(#|\s|- )/.test(line)).length - fields
  return fields === 0 || others > fields
}

/** Finds fields between two more rules; anything else there is text between horizontal rules. */
function secondBlock({ file, lines }: SourceText, from: number): readonly Diagnostic[] {
  const open = lines.findIndex((line, index) => index >= from && line.trim() !== '')
  const close = lines.findIndex((line, index) => index > open && isRule(line))
  if (!isRule(lines[open]) || close === -1) return []
  const between = lines.slice(open + 1, close).filter((line) => line.trim() !== '')
  const isFields = between.every((line) => FIELD_LINE.test(line) || /^\s+\S|^- /.test(line))
  if (!isFields || !FIELD_LINE.test(between[0] ?? '')) return []
  const message = 'A second frontmatter follows the first; clients take it for text.'
  return [diagnose('HF123', { file, line: open + 1, column: 1 }, message)]
}

const neverClosed = (place: Place, bodyLine: number): Diagnostic =>
  diagnose(
    'HF116',
    place,
    `The frontmatter is never closed; the body is assumed to start at line ${bodyLine + 1}.`,
  )

function endOfFields(lines: readonly string[], from: number): number {
  const blank = lines.findIndex(
    (line, index) => index >= from && (line.trim() === '' || line.startsWith('#')),
  )
  return blank === -1 ? lines.length : blank
}

interface Range {
  readonly from: number
  readonly to: number
}

interface Read {
  readonly fields: ReadonlyMap<string, Field>
  readonly diagnostics: readonly Diagnostic[]
}

/** Parses strict YAML first, then falls back to line by line. */
function readYaml(source: SourceText, range: Range): Read {
  const text = source.lines.slice(range.from, range.to).join('\n')
  if (text.length > LONGEST_FRONTMATTER) return readBeginning(source, range, text)
  const counter = new LineCounter()
  const document = parseDocument(text, { ...PARSING, lineCounter: counter })
  const [fault] = document.errors
  if (fault === undefined && isMap(document.contents))
    return { fields: strictFields(source, range, document.contents, counter), diagnostics: [] }
  if (fault === undefined && text.trim() === '') return { fields: new Map(), diagnostics: [] }
  const fields = recoveredFields(source, range)
  const at = fault === undefined ? { line: 1, column: 1 } : placeOfFault(fault, counter)
  const why = fault === undefined ? 'it is not a list of fields' : faultInWords(fault)
  const kept =
    fields.size === 0
      ? 'Nothing could be recovered'
      : `Recovered line by line: ${[...fields.keys()].join(', ')}`
  return {
    fields,
    diagnostics: [
      diagnose(
        'HF101',
        { file: source.file, ...at, line: range.from + at.line },
        `The frontmatter is not valid YAML: ${why}. ${kept}.`,
      ),
    ],
  }
}

/** Of too much frontmatter, the fields that fit are read line by line. */
function readBeginning(source: SourceText, { from }: Range, text: string): Read {
  const fitting = text.slice(0, LONGEST_FRONTMATTER).split('\n').length - 1
  const message = `The frontmatter has ${text.length} characters; the most are ${LONGEST_FRONTMATTER}.`
  const place = { file: source.file, line: from + 1, column: 1 }
  return {
    fields: recoveredFields(source, { from, to: from + fitting }),
    diagnostics: [diagnose('HF124', place, message)],
  }
}

function strictFields(
  source: SourceText,
  range: Range,
  map: { items: readonly unknown[] },
  counter: Counter,
): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>()
  for (const item of map.items as readonly { key: unknown; value: unknown }[]) {
    const { key, value } = item
    if (!isScalar(key)) continue
    const offset = key.range?.[0] ?? 0
    const at = counter.linePos(offset)
    const line = range.from + at.line
    const name = normalKey(String(key.value))
    fields.set(name, {
      value: plainField(name, value),
      source:
        isScalar(value) &&
        typeof value.source === 'string' &&
        value.type !== 'BLOCK_LITERAL' &&
        value.type !== 'BLOCK_FOLDED'
          ? value.source
          : restOfLine(source.lines[line - 1] ?? ''),
      place: { file: source.file, line, column: at.col },
    })
  }
  return fields
}

/** A field with its value, at the beginning of a line. */
export const FIELD_LINE = /^([A-Za-z_][\w-]*):(?:[ \t]+(.*))?$/

/** Reads `key: value` lines verbatim; indented lines and lists below a key belong to it. */
function recoveredFields(source: SourceText, range: Range): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>()
  for (let index = range.from; index < range.to; index++) {
    const line = source.lines[index] ?? ''
    const [, key, rest = ''] = FIELD_LINE.exec(line) ?? []
    if (key === undefined || fields.has(normalKey(key))) continue
    const below: string[] = []
    for (
      let next = index + 1;
      next < range.to && /^(\s+\S|\s*-\s|\s*$)/.test(source.lines[next] ?? '');
      next++
    )
      below.push(source.lines[next] ?? '')
    const place = { file: source.file, line: index + 1, column: 1 }
    fields.set(normalKey(key), {
      value: valueAlone(normalKey(key), line, below) ?? recoveredValue(rest.trim(), below),
      source: rest.trim(),
      place,
    })
  }
  return fields
}

/** Parses one field alone, because the YAML error may be in another one. */
function valueAlone(key: string, line: string, below: readonly string[]): unknown {
  const text = [line, ...below].join('\n')
  const document = parseDocument(text, PARSING)
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined
  return plainField(key, document.contents.items[0]?.value) ?? undefined
}

function recoveredValue(rest: string, below: readonly string[]): unknown {
  const list = below.map((line) => /^\s*-\s+(.*)$/.exec(line)?.[1]).filter((item) => item !== undefined)
  if (rest === '' && list.length > 0) return list
  const text = /^[|>][+-]?$/.test(rest) ? '' : unquoted(rest)
  return [text, ...below.map((line) => line.trim())].filter((part) => part !== '').join(' ')
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text

const restOfLine = (line: string): string => (FIELD_LINE.exec(line.trim())?.[2] ?? '').trim()
