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
  const found = [...line.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap(({ 0: word, index }) => {
    const at = words.findIndex((wanted) => isForm(word.toLowerCase(), wanted))
    return at === -1 ? [] : [{ from: index, to: index + word.length, at }]
  })
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

const ENDINGS = /(?:ing|ed|es|s|er|ly|ion|ions|ment|e)$/

/** Whether two words have the same stem, roughly, as the index sees them. */
export const isForm = (word: string, wanted: string): boolean =>
  word === wanted || stem(word) === stem(wanted)

const stem = (word: string): string => (word.length > 4 ? word.replace(ENDINGS, '') : word.replace(/s$/, ''))

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
