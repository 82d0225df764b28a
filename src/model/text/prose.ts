/** A word in a text, outside code. */
export interface ProseWord {
  readonly word: string
  /** From 1. */
  readonly line: number
  /** The character before it; empty at the beginning of the text. */
  readonly before: string
}

/** The kind of word to find, by its first character. */
export interface WordKind {
  readonly sign: string
  readonly isOfWord: (code: number) => boolean
}

/** The words of a kind outside code fences and back-ticks, in linear time. */
export function* wordsOfProse(text: string, kind: WordKind): Generator<ProseWord> {
  for (const block of blocksOf(text, kind)) yield* outsideOfTicks(block)
}

/** The lines of a text, and whether each is in a code fence; fences count as code. */
export function* linesOfText(
  text: string,
): Generator<{ readonly text: string; readonly line: number; readonly isCode: boolean }> {
  let fence: Fence | undefined
  for (const { from, to, line } of linesOf(text)) {
    const mark = fenceAt(text, contentOf(text, { from, to }))
    const before = fence
    fence = fenceAfter(before, mark)
    yield { text: text.slice(from, to), line, isCode: before !== undefined || fence !== undefined }
  }
}

/** A run of back-ticks, or a word with its sign. */
type Token = { readonly kind: 'ticks'; readonly length: number } | ({ readonly kind: 'word' } & ProseWord)

interface Fence {
  readonly code: number
  readonly length: number
  readonly opens: boolean
  /** Nothing follows on its line, so it can close a fence. */
  readonly bare: boolean
}

/** The tokens of each block in which back-ticks can pair up, without code fences. */
function* blocksOf(text: string, kind: WordKind): Generator<readonly Token[]> {
  let block: Token[] = []
  let fence: Fence | undefined
  for (const { from, to, line } of linesOf(text)) {
    const content = contentOf(text, { from, to })
    const before = fence
    fence = fenceAfter(before, fenceAt(text, content))
    if (before !== undefined) continue
    if (fence !== undefined || content.begins) {
      yield block
      block = []
    }
    if (fence === undefined) for (const token of tokensOf(text, { ...content, line }, kind)) block.push(token)
  }
  yield block
}

function* linesOf(text: string): Generator<Span & { readonly line: number }> {
  for (let from = 0, to = 0, line = 1; from <= text.length; from = to + 1, line++) {
    to = skip(text, { from, to: text.length }, (code) => code !== NEWLINE)
    yield { from, to, line }
  }
}

/** The fence that is open after a line. */
function fenceAfter(open: Fence | undefined, mark: Fence | undefined): Fence | undefined {
  if (open === undefined) return mark?.opens === true ? mark : undefined
  return mark?.bare === true && mark.code === open.code && mark.length >= open.length ? undefined : open
}

/** A run of back-ticks starts code only if another run of the same length ends it. */
function* outsideOfTicks(block: readonly Token[]): Generator<ProseWord> {
  const ends = endsOfCode(block)
  for (let index = 0; index < block.length; index++) {
    const token = block[index]
    if (token?.kind === 'word') yield token
    else index = ends.get(index) ?? index
  }
}

/** Maps each run of back-ticks to the next one of its length, in one backward pass. */
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
/** Tests whether a character code is one of these characters. */
export const anyOf = (characters: string) => {
  const codes = new Set(Array.from(characters, code))
  return (one: number) => codes.has(one)
}

const NEWLINE = code('\n')
const TICK = code('`')
const TILDE = code('~')
const QUOTE = code('>')
const UNDERSCORE = code('_')
const isBlank = anyOf(' \t\r')
const isBullet = anyOf('-*+')
const isDigit = anyOf('0123456789')
const endsNumber = anyOf('.)')
const beginsBlock = anyOf('#|')

/** The offset after all characters of one kind. */
function skip(text: string, { from, to }: Span, isWanted: (code: number) => boolean): number {
  let at = from
  while (at < to && isWanted(text.charCodeAt(at))) at++
  return at
}

/** A line without its quote and list marks, and whether it starts a new block. */
function contentOf(text: string, { from, to }: Span): Span & { readonly begins: boolean } {
  const first = skip(text, { from, to }, isBlank)
  let at = first
  for (let end = endOfMark(text, { from: at, to }); end > at; end = endOfMark(text, { from: at, to }))
    at = skip(text, { from: end, to }, isBlank)
  return { from: at, to, begins: at > first || at === to || beginsBlock(text.charCodeAt(at)) }
}

/** The end of a mark: `>`, or `-` or `1.` with a blank after it; unchanged without one. */
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
  // With more back-ticks on the same line, this is inline code.
  const opens = mark === TILDE || skip(text, rest, (one) => one !== TICK) === to
  return { code: mark, length: end - from, opens, bare: skip(text, rest, isBlank) === to }
}

function* tokensOf(
  text: string,
  { from, to, line }: Span & { readonly line: number },
  { sign, isOfWord }: WordKind,
): Generator<Token> {
  for (let at = from; at < to;) {
    const start = text.charCodeAt(at)
    if (start === TICK) {
      const end = skip(text, { from: at, to }, (one) => one === TICK)
      yield { kind: 'ticks', length: end - at }
      at = end
    } else if (text[at] === sign) {
      const end = skip(text, { from: at + 1, to }, isOfWord)
      const word = text.slice(at, withoutEmphasis(text, { from: at, to: end }))
      yield { kind: 'word', word, line, before: text.slice(Math.max(0, at - 1), at) }
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
