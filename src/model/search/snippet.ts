import { isUnspaced, termsIn, termsOf } from './terms.ts'

/** A line of a text that answers a question, with the places of its words. */
export interface Snippet {
  readonly text: string
  /** Where each word begins and ends. */
  readonly marks: readonly (readonly [from: number, to: number])[]
}

const LONGEST = 200

/** The part of a text with the most words of a question, in one line. */
export function snippetOf(text: string, words: readonly string[]): Snippet {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const wanted = new Map(words.flatMap((word, at) => termsOf(word).map((term) => [term, at] as const)))
  const found = [...line.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap(({ 0: word, index }) =>
    placesIn(word, wanted).map(({ from, to, at }) => ({ from: index + from, to: index + to, at })),
  )
  const start = densest(found)
  const from = line.length <= LONGEST ? 0 : startOfWord(line, Math.min(start, line.length - LONGEST))
  const cut = line.slice(from, from + LONGEST).toWellFormed()
  const before = from > 0 ? '…' : ''
  const shift = before.length - from
  return {
    text: `${before}${cut}${from + LONGEST < line.length ? '…' : ''}`,
    marks: found
      .filter((mark) => mark.from >= from && mark.to <= from + LONGEST)
      .map((mark) => [mark.from + shift, mark.to + shift]),
  }
}

interface Place {
  from: number
  to: number
  readonly at: number
}

/** Where a run of letters has wanted terms: as a whole, or in pairs if nothing separates its words. */
function placesIn(run: string, wanted: ReadonlyMap<string, number>): readonly Place[] {
  if (!isUnspaced(run)) {
    const [at] = termsIn(run).flatMap((term) => wanted.get(term) ?? [])
    return at === undefined ? [] : [{ from: 0, to: run.length, at }]
  }
  const places: Place[] = []
  const letters = Array.from(run)
  let from = 0
  for (const [index, letter] of letters.entries()) {
    const next = letters[index + 1] ?? ''
    const at = wanted.get(`${letter}${next}`)
    const to = from + letter.length + next.length
    const last = places.at(-1)
    if (at !== undefined && last !== undefined && last.to > from) last.to = to
    else if (at !== undefined) places.push({ from, to, at })
    from += letter.length
  }
  return places
}

/** Where the stretch with the most different words begins. */
function densest(found: readonly { readonly from: number; readonly at: number }[]): number {
  let [best, start] = [0, 0]
  let first = 0
  const inside = new Map<number, number>()
  for (const mark of found) {
    inside.set(mark.at, (inside.get(mark.at) ?? 0) + 1)
    for (; (found[first]?.from ?? 0) < mark.from - LONGEST * 0.8; first++) {
      const at = found[first]?.at ?? 0
      const left = (inside.get(at) ?? 1) - 1
      if (left === 0) inside.delete(at)
      else inside.set(at, left)
    }
    if (inside.size > best) [best, start] = [inside.size, found[first]?.from ?? 0]
  }
  return Math.max(0, start - 20)
}

/** The next place at which a word begins. */
function startOfWord(line: string, from: number): number {
  if (from === 0) return 0
  const space = line.indexOf(' ', from)
  return space === -1 || space > from + 20 ? from : space + 1
}
