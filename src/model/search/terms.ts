import { stemOf } from './stem.ts'

/** Scripts that put no space between words; in Korean, small words stand at the ends of others. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}'
const RUN = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu')
const FIRST_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')
const WORD = /[\p{L}\p{N}\p{M}]+/gu
/** Where a new word begins inside of a name, as in `parseHTTPHeader`. */
const SEAM = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
const LONGEST = 64

/** The words of a text in lower case, in order; a name such as `useEffect` is followed by its parts. */
export function wordsIn(text: string): readonly string[] {
  const words: string[] = []
  for (const [found] of text.normalize('NFKC').matchAll(WORD)) {
    const name = found.slice(0, LONGEST)
    words.push(folded(name))
    if (!/\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u.test(name)) continue
    const parts = name.split(SEAM)
    if (parts.length > 1) words.push(...parts.map(folded))
  }
  return words.filter((word) => word !== '')
}

/** What the index knows a word by: its stem, or pairs of characters where no space separates words. */
export const termsOf = (word: string): readonly string[] =>
  (word.match(RUN) ?? []).flatMap((run) => (isUnspaced(run) ? pairsOf(run) : [stemOf(run)]))

/** Whether a text begins in a script without spaces. */
export const isUnspaced = (text: string): boolean => FIRST_UNSPACED.test(text)

function pairsOf(run: string): readonly string[] {
  const letters = Array.from(run)
  return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`)
}

/** The terms of a text, in order. */
export const termsIn = (text: string): readonly string[] => wordsIn(text).flatMap(termsOf)

/** Accents of alphabets that people often leave out when they type. */
const ACCENTED = /[\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff\u1e00-\u1fff]/g
const MARKS = /[\u0300-\u036f]/g

const folded = (word: string): string =>
  word
    .toWellFormed()
    .toLowerCase()
    .replaceAll(ACCENTED, (letter) => letter.normalize('NFD').replaceAll(MARKS, ''))
    .replaceAll(MARKS, '')
    .replaceAll('ß', 'ss')
