import { isMap, isScalar, isSeq } from 'yaml'

/** A YAML node as plain data; numbers keep what was written, and an alias is nothing: it may lead nowhere. */
export function plain(node: unknown): unknown {
  if (isScalar(node))
    return typeof node.value === 'number' && typeof node.source === 'string'
      ? node.source
      : (node.value ?? null)
  if (isMap(node)) return Object.fromEntries(node.items.map(({ key, value }) => [keyOf(key), plain(value)]))
  return isSeq(node) ? node.items.map(plain) : null
}

const keyOf = (key: unknown): string => (isScalar(key) ? String(key.value) : '')
