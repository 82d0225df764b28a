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

/** What a text refers to outside of code, in the order of first mention; no character is read often. */
export function findReferences(text: string): readonly Reference[] {
  const found = new Map<string, Reference>()
  for (const block of blocksOf(text))
    for (const word of outsideOfTicks(block)) {
      const reference = referenceOf(word)
      if (reference !== undefined && !found.has(reference.name)) found.set(reference.name, reference)
    }
  return [...found.values()]
}

/** All of a text that matters here: runs of back-ticks, and words behind the sign. */
type Token = { readonly kind: 'ticks'; readonly length: number } | { readonly kind: 'word'; word: string }

interface Fence {
  readonly code: number
  readonly length: number
  readonly opens: boolean
  /** Nothing follows on its line, so it can end what an equal one began. */
  readonly bare: boolean
}

/** The tokens of each stretch of lines in which a back-tick can find its fellow; code fences are left out. */
function* blocksOf(text: string): Generator<readonly Token[]> {
  let block: Token[] = []
  let fence: Fence | undefined
  for (let from = 0, to = 0; from <= text.length; from = to + 1) {
    to = skip(text, { from, to: text.length }, (code) => code !== NEWLINE)
    const line = contentOf(text, { from, to })
    const mark = fenceAt(text, line)
    if (fence !== undefined) {
      if (mark?.bare === true && mark.code === fence.code && mark.length >= fence.length) fence = undefined
      continue
    }
    fence = mark?.opens === true ? mark : undefined
    if (fence !== undefined || line.begins) {
      yield block
      block = []
    }
    if (fence === undefined) for (const token of tokensOf(text, line)) block.push(token)
  }
  yield block
}

/** A run of back-ticks begins code only if another of the same length ends it. */
function* outsideOfTicks(block: readonly Token[]): Generator<string> {
  const ends = endsOfCode(block)
  for (let index = 0; index < block.length; index++) {
    const token = block[index]
    if (token?.kind === 'word') yield token.word
    else index = ends.get(index) ?? index
  }
}

/** For each run of back-ticks the next one of its length, found from behind so that nothing is searched twice. */
function endsOfCode(block: readonly Token[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  const nextOfLength = new Map<number, number>()
  for (const [index, token] of [...block.entries()].toReversed()) {
    if (token.kind !== 'ticks') continue
    const end = nextOfLength.get(token.length)
    if (end !== undefined) ends.set(index, end)
    nextOfLength.set(token.length, index)
  }
  return ends
}

interface Span {
  readonly from: number
  readonly to: number
}

const code = (character: string): number => character.charCodeAt(0)
const anyOf = (characters: string) => {
  const codes = new Set(Array.from(characters, code))
  return (one: number) => codes.has(one)
}

const NEWLINE = code('\n')
const TICK = code('`')
const TILDE = code('~')
const SIGN = code('§')
const QUOTE = code('>')
const UNDERSCORE = code('_')
const isBlank = anyOf(' \t\r')
const isBullet = anyOf('-*+')
const isDigit = anyOf('0123456789')
const endsNumber = anyOf('.)')
const beginsBlock = anyOf('#|')
const isOfWord = anyOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_')

/** Where characters of one kind end. */
function skip(text: string, { from, to }: Span, isWanted: (code: number) => boolean): number {
  let at = from
  while (at < to && isWanted(text.charCodeAt(at))) at++
  return at
}

/** A line behind the marks of quotes and list items, and whether something new begins with it. */
function contentOf(text: string, { from, to }: Span): Span & { readonly begins: boolean } {
  const first = skip(text, { from, to }, isBlank)
  let at = first
  for (let end = endOfMark(text, { from: at, to }); end > at; end = endOfMark(text, { from: at, to }))
    at = skip(text, { from: end, to }, isBlank)
  return { from: at, to, begins: at > first || at === to || beginsBlock(text.charCodeAt(at)) }
}

/** `>`, or `-` or `1.` with a blank behind it; where there is none, it ends where it would have begun. */
function endOfMark(text: string, { from, to }: Span): number {
  if (from === to) return from
  if (text.charCodeAt(from) === QUOTE) return from + 1
  const digits = skip(text, { from, to }, isDigit)
  const isMark = (digits === from ? isBullet : endsNumber)(text.charCodeAt(digits))
  const end = digits + 1
  return isMark && (end >= to || isBlank(text.charCodeAt(end))) ? Math.min(end, to) : from
}

function fenceAt(text: string, { from, to }: Span): Fence | undefined {
  const mark = text.charCodeAt(from)
  if (mark !== TICK && mark !== TILDE) return undefined
  const end = skip(text, { from, to }, (one) => one === mark)
  if (end - from < 3) return undefined
  const rest = { from: end, to }
  // Back-ticks that are followed by others on their line are code within the line.
  const opens = mark === TILDE || skip(text, rest, (one) => one !== TICK) === to
  return { code: mark, length: end - from, opens, bare: skip(text, rest, isBlank) === to }
}

function* tokensOf(text: string, { from, to }: Span): Generator<Token> {
  for (let at = from; at < to;) {
    const start = text.charCodeAt(at)
    if (start === TICK) {
      const end = skip(text, { from: at, to }, (one) => one === TICK)
      yield { kind: 'ticks', length: end - at }
      at = end
    } else if (start === SIGN) {
      const end = skip(text, { from: at + 1, to }, isOfWord)
      yield { kind: 'word', word: text.slice(at, withoutEmphasis(text, { from: at, to: end })) }
      at = end
    } else at++
  }
}

/** `_§CMD_X_` is a name in italics. */
function withoutEmphasis(text: string, { from, to }: Span): number {
  let end = to
  while (end > from && text.charCodeAt(end - 1) === UNDERSCORE) end--
  return end
}
