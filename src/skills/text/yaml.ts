import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml'
import type { Place } from '../../model/diagnostic.ts'

/** The place of a YAML error, counted from 1. */
export function placeOfFault({ pos }: YAMLParseError, counter: LineCounter) {
  const { line, col } = counter.linePos(pos[0])
  return { line: Math.max(1, line), column: Math.max(1, col) }
}

/** Common mistakes in plain words, because the parser's own messages describe its internals. */
const IN_WORDS: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'an unquoted value contains a colon followed by a space',
  MULTILINE_IMPLICIT_KEY: 'a line is neither a field nor part of the one above it',
  TAB_AS_INDENT: 'a tab is used for indentation instead of spaces',
}

/** Describes a YAML error as the end of a sentence. */
export function faultInWords({ code, message }: YAMLParseError): string {
  if (/^Unexpected .* at node end$/.test(message)) return 'there is text after the end of a value'
  if (message.startsWith('Unexpected block-seq-ind on same line'))
    return 'a list starts on the same line as its key'
  return IN_WORDS[code] ?? (message.split('\n')[0] ?? message).replace(/[.:]$/, '')
}

const DEEPEST = 50

/** Converts a YAML node to plain data. Numbers keep their source text; aliases become null, because they may expand without limit. */
export const plain = (node: unknown): unknown => converted(node, (written) => written)

/** The same for a field by its name: a schema compares with numbers, so there they stay numbers. */
export const plainField = (key: string, node: unknown): unknown =>
  key === 'result' ? converted(node, (_, value) => value) : plain(node)

/** All fields of a map. */
export const plainFields = ({ items }: YAMLMap): Record<string, unknown> =>
  Object.fromEntries(items.map(({ key, value }) => [keyOf(key), plainField(keyOf(key), value)]))

type NumberAs = (written: string, value: number) => unknown

function converted(node: unknown, number: NumberAs, depth = 0): unknown {
  // Limits the depth, because later code recurses as deeply.
  if (depth > DEEPEST) return null
  if (isScalar(node))
    return typeof node.value === 'number' && typeof node.source === 'string'
      ? number(node.source, node.value)
      : (node.value ?? null)
  if (isMap(node))
    return Object.fromEntries(
      node.items.map(({ key, value }) => [keyOf(key), converted(value, number, depth + 1)]),
    )
  return isSeq(node) ? node.items.map((item) => converted(item, number, depth + 1)) : null
}

/** Options for speed: pretty errors copy the source line, and unique key checks take quadratic time. */
export const PARSING = { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' } as const

/** The places of the fields of a map and of their direct children: `phases`, `phases/0`, `steps/build`. */
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

/** The places in a JSON text, which is also YAML; `start` is the place of its first line. */
export function jsonPlaces(content: string, start: Place): ReadonlyMap<string, Place> {
  const counter = new LineCounter()
  return placesIn(parseDocument(content, { ...PARSING, lineCounter: counter }).contents, counter, start)
}

const keyOf = (key: unknown): string => (isScalar(key) ? String(key.value) : '')
