import { type Call, type Calls, nameIn, type Reading, VERBS } from './calls.ts'
import { bare, type Word } from './words.ts'

const VERBS_WITH = new Set(['continue', 'finish'])
const LEADS = new Set(['please', 'and', 'then', 'finally', 'afterwards', 'first', 'next'])
/** First words of sentences that ask for nothing now. */
const OTHERWISE = new Set(
  'to if when whenever unless should before after once until otherwise where while what why how who which does do did is are can could would'.split(
    ' ',
  ),
)

/** The skills that a prompt asks for in words, each after an imperative verb at the start of a clause. */
export function explicitCalls(words: readonly Word[], reading: Reading): Calls {
  return { calls: sentencesOf(words).flatMap((sentence) => callsOfSentence(sentence, reading)), unknown: [] }
}

/** Words up to a full stop or the end of the line; without questions, conditions and what follows a list mark. */
function sentencesOf(words: readonly Word[]): readonly (readonly Word[])[] {
  const sentences: Word[][] = []
  let current: Word[] = []
  for (const word of words) {
    // Lists of advice are too often about somebody else's work.
    if (word.mark) break
    if (word.begins || /[.!?]$/.test(current.at(-1)?.text ?? '')) {
      sentences.push(current)
      current = []
    }
    current.push(word)
  }
  sentences.push(current)
  return sentences.filter((sentence) => !isOther(sentence))
}

const isOther = (sentence: readonly Word[]): boolean =>
  sentence.at(-1)?.text.endsWith('?') === true ||
  (!VERBS.has(plain(sentence[0])) && OTHERWISE.has(plain(sentence[0])))

function callsOfSentence(sentence: readonly Word[], reading: Reading): readonly Call[] {
  const calls: Call[] = []
  /** Where the words begin that lead to a clause; undefined inside a clause. */
  let from = sentence[0]?.from
  for (const [index, word] of sentence.entries()) {
    const found = from === undefined ? undefined : askedAt(sentence, index)
    const standing = found === undefined ? undefined : reading.standing(found.name)
    if (found !== undefined && from !== undefined && standing?.kind === 'known')
      calls.push({ name: found.name, standing, from, head: found.head, branch: false })
    if (LEADS.has(plain(word))) from ??= word.from
    else from = word.ending > 0 ? word.to - word.ending : undefined
  }
  return calls
}

/** The skill after a verb: `run /plan`, `use the plan skill`, `finish with /commit`. */
function askedAt(
  sentence: readonly Word[],
  verb: number,
): { readonly name: string; readonly head: number } | undefined {
  let at = verb + 1
  if (VERBS_WITH.has(plain(sentence[verb])) && plain(sentence[at]) === 'with') at++
  else if (!VERBS.has(plain(sentence[verb]))) return undefined
  const hasArticle = plain(sentence[at]) === 'the'
  if (hasArticle) at++
  const word = sentence[at]
  const next = sentence[at + 1]
  const isSkill = next !== undefined && plain(next) === 'skill'
  const name = nameIn(word) ?? (isSkill ? NAME.exec(word?.text ?? '')?.[0] : undefined)
  const head = isSkill ? next.to : word?.to
  return name === undefined || head === undefined ? undefined : { name, head }
}

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]*$/u

const plain = (word: Word | undefined): string =>
  word === undefined || word.masked ? '' : bare(word).toLowerCase()
