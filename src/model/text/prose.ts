/** A word that stands in a text outside of code. */
export interface ProseWord {
  readonly word: string
  /** From 1. */
  readonly line: number
  /** What stands right before it; nothing at the beginning of the text. */
  readonly before: string
}

/** What kind of words to look for: those that begin with a sign. */
export interface WordKind {
  readonly sign: string
  readonly isOfWord: (code: number) => boolean
}

/** The words of a kind that a text says outside of code fences and back-ticks; no character is read often. */
export function* wordsOfProse(text: string, kind: WordKind): Generator<ProseWord> {
  for (const block of blocksOf(text, kind)) yield* outsideOfTicks(block)
}

/** The lines of a text, with whether they are code between fences; the fences themselves are. */
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

/** All of a text that matters here: runs of back-ticks, and words behind the sign. */
type Token = { readonly kind: 'ticks'; readonly length: number } | ({ readonly kind: 'word' } & ProseWord)

interface Fence {
  readonly code: number
  readonly length: number
  readonly opens: boolean
  /** Nothing follows on its line, so it can end what an equal one began. */
  readonly bare: boolean
}

/** The tokens of each stretch of lines in which a back-tick can find its fellow; code fences are left out. */
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

/** The fence that is open behind a line. */
function fenceAfter(open: Fence | undefined, mark: Fence | undefined): Fence | undefined {
  if (open === undefined) return mark?.opens === true ? mark : undefined
  return mark?.bare === true && mark.code === open.code && mark.length >= open.length ? undefined : open
}

/** A run of back-ticks begins code only if another of the same length ends it. */
function* outsideOfTicks(block: readonly Token[]): Generator<ProseWord> {
  const ends = endsOfCode(block)
  for (let index = 0; index < block.length; index++) {
    const token = block[index]
    if (token?.kind === 'word') yield token
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
/** Whether a character is one of these, by its code. */
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
