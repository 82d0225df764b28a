/** The ends of English words that say nothing about their meaning, by the algorithm of Martin Porter (1980). */
export function stemOf(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word
  const known = STEMS.get(word)
  if (known !== undefined) return known
  const stem = withoutLastE(withoutEnding(nounOf(withoutTense(withoutPlural(word)))))
  // Texts repeat their words, and a fresh map is cheaper than one that forgets the oldest.
  if (STEMS.size >= MOST_STEMS) STEMS.clear()
  STEMS.set(word, stem)
  return stem
}

const STEMS = new Map<string, string>()
const MOST_STEMS = 20_000

/** The letters of a word as c and v; y is a vowel after a consonant. */
function shapeOf(word: string): string {
  let shape = ''
  for (const letter of word)
    shape += 'aeiou'.includes(letter) || (letter === 'y' && shape.endsWith('c')) ? 'v' : 'c'
  return shape
}

/** How often a vowel is followed by a consonant. */
const measure = (word: string): number => shapeOf(word).match(/v+c+/g)?.length ?? 0
const hasVowel = (word: string): boolean => shapeOf(word).includes('v')
const endsTwice = (word: string): boolean => /([^aeiou])\1$/.test(word) && shapeOf(word).endsWith('cc')
const endsShort = (word: string): boolean => shapeOf(word).endsWith('cvc') && !/[wxy]$/.test(word)

function withoutPlural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

function withoutTense(word: string): string {
  const y = (one: string) => (one.endsWith('y') && hasVowel(one.slice(0, -1)) ? `${one.slice(0, -1)}i` : one)
  if (word.endsWith('eed')) return y(measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word)
  const [, rest] = /^(.+?)(?:ed|ing)$/.exec(word) ?? []
  if (rest === undefined || !hasVowel(rest)) return y(word)
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`
  if (endsTwice(rest) && !/[lsz]$/.test(rest)) return y(rest.slice(0, -1))
  return y(measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest)
}

/** Endings with what takes their place, longest first. */
const LONG: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['logi', 'log'],
  ['eli', 'e'],
]
const SHORT: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]

const nounOf = (word: string): string => replaced(replaced(word, LONG), SHORT)

function replaced(word: string, endings: readonly (readonly [string, string])[]): string {
  const [ending, instead] = endings.find(([one]) => word.endsWith(one)) ?? []
  if (ending === undefined || instead === undefined) return word
  const rest = word.slice(0, -ending.length)
  return measure(rest) > 0 ? rest + instead : word
}

const ENDING = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou|(?<=[st])ion)$/

function withoutEnding(word: string): string {
  const rest = word.replace(ENDING, '')
  return measure(rest) > 1 ? rest : word
}

function withoutLastE(word: string): string {
  const rest = word.slice(0, -1)
  const isMute = word.endsWith('e') && (measure(rest) > 1 || (measure(rest) === 1 && !endsShort(rest)))
  const short = isMute ? rest : word
  return short.endsWith('ll') && measure(short.slice(0, -1)) > 1 ? short.slice(0, -1) : short
}
