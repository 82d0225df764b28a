import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type YAMLParseError } from 'yaml'
import type { Place } from '../../model/diagnostic.ts'

/** Where a text of YAML is wrong, from 1. */
export function placeOfFault({ pos }: YAMLParseError, counter: LineCounter) {
  const { line, col } = counter.linePos(pos[0])
  return { line: Math.max(1, line), column: Math.max(1, col) }
}

/** The faults that people really make, in their words; what the parser says of them speaks of its insides. */
const IN_WORDS: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'an unquoted value contains a colon followed by a space',
  MULTILINE_IMPLICIT_KEY: 'a line is neither a field nor part of the one above it',
  TAB_AS_INDENT: 'a tab is used for indentation instead of spaces',
}

/** What is wrong with a text of YAML, as the end of a sentence. */
export function faultInWords({ code, message }: YAMLParseError): string {
  if (/^Unexpected .* at node end$/.test(message)) return 'there is text after the end of a value'
  if (message.startsWith('Unexpected block-seq-ind on same line'))
    return 'a list starts on the same line as its key'
  return IN_WORDS[code] ?? (message.split('\n')[0] ?? message).replace(/[.:]$/, '')
}

const DEEPEST = 50

/** A YAML node as plain data; numbers keep what was written, and an alias is nothing: it may lead nowhere, or everywhere. */
export function plain(node: unknown, depth = 0): unknown {
  // Nobody writes so deep, and what comes after would have to go as deep again.
  if (depth > DEEPEST) return null
  if (isScalar(node))
    return typeof node.value === 'number' && typeof node.source === 'string'
      ? node.source
      : (node.value ?? null)
  if (isMap(node))
    return Object.fromEntries(node.items.map(({ key, value }) => [keyOf(key), plain(value, depth + 1)]))
  return isSeq(node) ? node.items.map((item) => plain(item, depth + 1)) : null
}

/** How our own files are read: pretty messages quote the line for every fault, and comparing each key with each takes the square of their number. */
export const PARSING = { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' } as const

/** Where the fields of a map stand, and below each its own fields or items: `phases`, `phases/0`, `steps/build`. */
export function placesIn(map: unknown, counter: LineCounter, start: Place): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  const add = (path: string, node: unknown) => {
    const at = isNode(node) ? node.range?.[0] : undefined
    if (at === undefined) return
    const { line, col } = counter.linePos(at)
    places.set(path, { file: start.file, line: start.line + line - 1, column: col })
  }
  for (const { key, value } of isMap(map) ? map.items : []) {
    add(keyOf(key), key)
    if (isMap(value)) for (const inner of value.items) add(`${keyOf(key)}/${keyOf(inner.key)}`, inner.key)
    if (isSeq(value)) for (const [index, item] of value.items.entries()) add(`${keyOf(key)}/${index}`, item)
  }
  return places
}

/** The same of a text of JSON, which is YAML too; `start` is where its first line stands. */
export function jsonPlaces(content: string, start: Place): ReadonlyMap<string, Place> {
  const counter = new LineCounter()
  return placesIn(parseDocument(content, { ...PARSING, lineCounter: counter }).contents, counter, start)
}

const keyOf = (key: unknown): string => (isScalar(key) ? String(key.value) : '')
