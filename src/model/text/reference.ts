import { anyOf, type WordKind, wordsOfProse } from './prose.ts'

/** A name such as `§CMD_X` that refers to the file of a command, format or invariant. */
export interface Reference {
  /** Without the sign: `CMD_X`. */
  readonly name: string
  readonly kind: 'command' | 'format' | 'invariant'
}

const KINDS = { CMD: 'command', FMT: 'format', INV: 'invariant' } as const

/** The length limit of file names, because each name becomes one. */
const NAME = /^(CMD|FMT|INV)_[A-Z0-9_]{0,199}[A-Z0-9]$/

/** Parses one name, with or without the sign. */
export function referenceOf(text: string): Reference | undefined {
  const name = text.startsWith('§') ? text.slice(1) : text
  const prefix = NAME.exec(name)?.[1] as keyof typeof KINDS | undefined
  return prefix === undefined ? undefined : { name, kind: KINDS[prefix] }
}

const OF_NAMES: WordKind = {
  sign: '§',
  isOfWord: anyOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_'),
}

/** The references in a text outside code, by first mention, in linear time. */
export function findReferences(text: string): readonly Reference[] {
  const found = new Map<string, Reference>()
  for (const { word } of wordsOfProse(text, OF_NAMES)) {
    const reference = referenceOf(word)
    if (reference !== undefined && !found.has(reference.name)) found.set(reference.name, reference)
  }
  return [...found.values()]
}
