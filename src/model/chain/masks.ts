/** A part of a text, by its offsets. */
interface Part {
  readonly from: number
  readonly to: number
}

/** Marks what stands in code spans, quotes and brackets of one line; what does not close there is plain text. */
export function maskLine(text: string, line: Part, masked: Uint8Array): void {
  maskCode(text, line, masked)
  maskQuotes(text, line, masked)
  maskBrackets(text, line, masked)
}

/** Back-ticks pair with the next run of the same length. */
function maskCode(text: string, { from, to }: Part, masked: Uint8Array): void {
  const runs = [...text.slice(from, to).matchAll(/`+/g)].map(({ 0: run, index }) => ({
    from: from + index,
    to: from + index + run.length,
  }))
  const ends = new Map<Part, Part>()
  const next = new Map<number, Part>()
  for (const run of runs.toReversed()) {
    const end = next.get(run.to - run.from)
    if (end !== undefined) ends.set(run, end)
    next.set(run.to - run.from, run)
  }
  let at = from
  for (const run of runs) {
    const end = run.from < at ? undefined : ends.get(run)
    if (end === undefined) continue
    masked.fill(1, run.from, end.to)
    at = end.to
  }
}

const OPENS_QUOTE = /[\s([{=“«]/u
const IN_WORD = /[\p{L}\p{N}_]/u

/** A quote opens before a word, so an apostrophe opens none. */
function maskQuotes(text: string, { from, to }: Part, masked: Uint8Array): void {
  const without = new Set<string>()
  for (let at = from; at < to; at++) {
    const quote = text.charAt(at)
    if ((quote !== '"' && quote !== "'") || masked[at] === 1 || without.has(quote)) continue
    if (at > from && !OPENS_QUOTE.test(text.charAt(at - 1))) continue
    const end = endOfQuote(text, { from: at, to }, masked)
    // A search that failed once is not repeated, or it would be quadratic.
    if (end === undefined) without.add(quote)
    else {
      // The sign of an exact text belongs to its quote.
      masked.fill(1, at > from && text[at - 1] === '=' ? at - 1 : at, end)
      at = end - 1
    }
  }
}

function endOfQuote(text: string, { from, to }: Part, masked: Uint8Array): number | undefined {
  const quote = text.charAt(from)
  for (let at = from + 1; at < to; at++) {
    if (masked[at] === 1) continue
    if (quote === '"' && text[at] === '\\') at++
    else if (text[at] === quote && (quote === '"' || !IN_WORD.test(text.charAt(at + 1)))) return at + 1
  }
  return undefined
}

const PAIRS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '”': '“', '»': '«' }
const OPENERS = new Set(Object.values(PAIRS))

/** A bracket that nothing closes is text, such as that of a list or a smiley. */
function maskBrackets(text: string, { from, to }: Part, masked: Uint8Array): void {
  const open: number[] = []
  const count = new Map<string, number>()
  const outer: Part[] = []
  const change = (opener: string, by: number) => count.set(opener, (count.get(opener) ?? 0) + by)
  for (let at = from; at < to; at++) {
    const char = text.charAt(at)
    const opener = masked[at] === 1 ? undefined : PAIRS[char]
    if (masked[at] !== 1 && OPENERS.has(char)) {
      open.push(at)
      change(char, 1)
    } else if (opener !== undefined && (count.get(opener) ?? 0) > 0) {
      let begin = open.pop() ?? at
      for (; text[begin] !== opener; begin = open.pop() ?? at) change(text.charAt(begin), -1)
      change(opener, -1)
      while ((outer.at(-1)?.from ?? -1) > begin) outer.pop()
      outer.push({ from: begin, to: at + 1 })
    }
  }
  for (const part of outer) masked.fill(1, part.from, part.to)
}
