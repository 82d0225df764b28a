/** The limits of a message, checked before the expensive parsing. */
export interface Limits {
  readonly bytes: number
  readonly depth: number
  readonly keys: number
  readonly batch: number
}

export const LIMITS: Limits = { bytes: 1_048_576, depth: 64, keys: 10_000, batch: 100 }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a

/** The limit that a JSON text exceeds, if any; the parser checks the syntax. */
export function overLimit(text: Buffer, limits: Limits): 'depth' | 'keys' | undefined {
  let depth = 0
  let keys = 0
  for (let index = 0; index < text.length; index++) {
    const byte = text[index]
    if (byte === QUOTE) index = endOfString(text, index)
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > limits.depth) return 'depth'
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    else if (byte === COLON && ++keys > limits.keys) return 'keys'
  }
  return undefined
}

/** Most strings are short, and the search of a buffer begins with a call out of JavaScript. */
const SHORT = 32

function endOfString(text: Buffer, start: number): number {
  const near = Math.min(start + SHORT, text.length)
  for (let index = start + 1; index < near; index++) {
    if (text[index] === BACKSLASH) break
    if (text[index] === QUOTE) return index
  }
  let end = text.indexOf(QUOTE, start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf(QUOTE, end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: Buffer, quote: number): boolean {
  let slashes = 0
  while (text[quote - 1 - slashes] === BACKSLASH) slashes++
  return slashes % 2 === 1
}
