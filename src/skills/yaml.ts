import { isMap, isScalar, isSeq, type LineCounter, type YAMLParseError } from 'yaml'

/** Where a text of YAML is wrong, from 1. */
export function placeOfFault({ pos }: YAMLParseError, counter: LineCounter) {
  const { line, col } = counter.linePos(pos[0])
  return { line: Math.max(1, line), column: Math.max(1, col) }
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

const keyOf = (key: unknown): string => (isScalar(key) ? String(key.value) : '')
