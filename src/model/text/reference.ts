import { anyOf, type WordKind, wordsOfProse } from './prose.ts'

/** A name in a text, as `§CMD_X`, that stands for a command, a format or an invariant with a file of its own. */
export interface Reference {
  /** Without the sign: `CMD_X`. */
  readonly name: string
  readonly kind: 'command' | 'format' | 'invariant'
}

const KINDS = { CMD: 'command', FMT: 'format', INV: 'invariant' } as const

/** A name becomes that of a file, so it is no longer than one can be. */
const NAME = /^(CMD|FMT|INV)_[A-Z0-9_]{0,199}[A-Z0-9]$/

/** What one name refers to, with or without the sign. */
export function referenceOf(text: string): Reference | undefined {
  const name = text.startsWith('§') ? text.slice(1) : text
  const prefix = NAME.exec(name)?.[1] as keyof typeof KINDS | undefined
  return prefix === undefined ? undefined : { name, kind: KINDS[prefix] }
}

const OF_NAMES: WordKind = {
  sign: '§',
  isOfWord: anyOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_'),
}

/** What a text refers to outside of code, in the order of first mention; no character is read often. */
export function findReferences(text: string): readonly Reference[] {
  const found = new Map<string, Reference>()
  for (const { word } of wordsOfProse(text, OF_NAMES)) {
    const reference = referenceOf(word)
    if (reference !== undefined && !found.has(reference.name)) found.set(reference.name, reference)
  }
  return [...found.values()]
}
