import { wordsIn } from './terms.ts'

/** More words would make a search slow, and say little more. */
const MOST_WORDS = 32
/** What is read of a question. */
const LONGEST_QUESTION = 2000

/** Words that nearly every English text has. */
const COMMON = new Set(
  `a about all also an and any are as at be been but by can could did do does for from get had has have how i if in into
  is it its just me my no not of on or our please should so some than that the their them then there these they this to
  us was we were what when where which who why will with would you your`.split(/\s+/),
)

/** The words that a question asks for, as in `wordsIn`, each once; common ones only if there are no others. */
export function wordsOf(question: string): readonly string[] {
  const words = [...new Set(wordsIn(question.slice(0, LONGEST_QUESTION)))]
  const telling = words.filter((word) => !COMMON.has(word))
  return (telling.length > 0 ? telling : words).slice(0, MOST_WORDS)
}
