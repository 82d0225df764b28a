import { isRoot, type Standing } from './frame.ts'
import { isDescribed, isListing } from './described.ts'
import { bare, type Word } from './words.ts'

/** A skill that a prompt calls, by its place. */
export interface Call {
  readonly name: string
  readonly standing: Standing
  /** Where the separators before it begin; the words of the skill before end here. */
  readonly from: number
  /** Where its own words begin. */
  readonly head: number
  /** True after `else`: it runs only if the skill before fails. */
  readonly branch: boolean
}

/** How the names of a prompt are judged. */
export interface Reading {
  standing(name: string): Standing
  /** False where every name after a separator counts, even one that a sentence only mentions. */
  readonly guarded: boolean
}

/** A name after a separator that no skill has. */
export interface UnknownCall {
  readonly name: string
  /** Set if it can hardly be a route or a folder: a word such as `then` leads to it, or no other such name is there. */
  readonly isMeant: boolean
}

/** The calls of a prompt, and the names after a separator that no skill has. */
export interface Calls {
  readonly calls: readonly Call[]
  readonly unknown: readonly UnknownCall[]
}

const REFERENCE = /^\/([\p{L}\p{N}_][\p{L}\p{N}_.:-]*)$/u

/** The name in a word such as `/plan-adhoc`; a path has none. */
export const nameIn = (word: Word | undefined): string | undefined =>
  word === undefined || word.masked ? undefined : REFERENCE.exec(bare(word))?.[1]

/** The calls of a prompt that begins with one. */
export function callsOf(words: readonly Word[], reading: Reading): Calls {
  const calls: (Call & { readonly index: number })[] = []
  const unknown = new Map<string, Lead['strength']>()
  const foreign = new Set<string>()
  /** The name that the sentence mentions, so that `and /other` joins it. */
  let mention: Standing['kind'] | undefined
  for (const [index, word] of words.entries()) {
    const last = calls.at(-1)?.index ?? -1
    if (index > 0 && last === -1) break
    if (word.begins) mention = undefined
    const name = nameIn(word)
    if (name === undefined) continue
    const lead = index === 0 ? FIRST : leadTo(words, index, last)
    const standing = reading.standing(name)
    if (standing.kind === 'foreign') foreign.add(name)
    const isMentioned = reading.guarded && (joins(mention, lead, standing) || isDescribed(words, index))
    // A branch has no branch of its own: a second one stays in its words.
    const isNested = lead.branch && calls.at(-1)?.branch === true
    const isCall = lead.strength !== 'none' && !isMentioned && !isNested
    if (isCall && standing.kind !== 'foreign') {
      calls.push({ name, standing, from: lead.from, head: word.to, branch: lead.branch, index })
      mention = undefined
    } else {
      // At the start of a line, it may be one of a list.
      if (isCall && !isRoot(name)) unknown.set(name, word.begins ? 'none' : lead.strength)
      if (!isNested && index !== last + 1 && mention !== 'known') mention = standing.kind
    }
  }
  const places = calls.map(({ index }) => index)
  if (reading.guarded && isListing(words, places)) return NO_CALLS
  const isMeant = (strength: Lead['strength']) =>
    strength === 'strong' || (strength === 'weak' && foreign.size === 1)
  return {
    calls,
    unknown: [...unknown].map(([name, strength]) => ({ name, isMeant: isMeant(strength) })),
  }
}

const NO_CALLS: Calls = { calls: [], unknown: [] }

/** True for a name that a comma or `and` adds to one that is only mentioned. */
const joins = (mention: Standing['kind'] | undefined, { strength }: Lead, { kind }: Standing): boolean =>
  mention !== undefined && strength === 'weak' && (mention === 'known' || kind !== 'known')

/** What leads to a call: its separators, and whether they are more than a comma or `and`. */
interface Lead {
  readonly from: number
  readonly strength: 'none' | 'weak' | 'strong'
  readonly branch: boolean
}

const FIRST: Lead = { from: 0, strength: 'strong', branch: false }
const JOINS = new Set(['and', ''])
const LEADS = new Set(['then', 'finally', '→', '->', '&&'])
const LEADS_VERB = new Set(['and', 'then', 'finally'])
/** Verbs that ask for a skill. */
export const VERBS: ReadonlySet<string> = new Set('run use call invoke start do apply'.split(' '))

/** Reads backward from a reference, at most to the last call, so that all of them take linear time. */
function leadTo(words: readonly Word[], index: number, last: number): Lead {
  const before = index - 1 > last ? index - 1 : index
  if (!VERBS.has(plain(words[before]))) return leadBefore(words, index, last)
  // A verb needs a word that leads to it: "in doubt, use /x" is a rule, "x and use /y" goes on.
  const isLed =
    before - 1 > last && LEADS_VERB.has(plain(words[before - 1])) && words[before]?.begins === false
  return isLed ? leadBefore(words, before, last) : { ...FIRST, strength: 'none' }
}

function leadBefore(words: readonly Word[], index: number, last: number): Lead {
  let at = index
  let from = words[index]?.from ?? 0
  let strength: Lead['strength'] = words[index]?.begins === true ? 'strong' : 'none'
  const branch = at - 1 > last && plain(words[at - 1]) === 'else'
  if (branch) {
    at--
    if (at - 1 > last && plain(words[at - 1]) === 'or') at--
    from = words[at]?.from ?? from
    strength = 'strong'
  }
  // An alternative is no next skill, even on a line of its own.
  if (!branch && at - 1 > last && plain(words[at - 1]) === 'or') return { from, strength: 'none', branch }
  for (at--; at >= last; at--) {
    const word = words[at]
    if (word === undefined) break
    const ending = endingOf(word, words[at + 1])
    const base = plain(word)
    const isLead =
      at > last && (word.mark || LEADS.has(base) || (JOINS.has(base) && (base !== '' || ending > 0)))
    if (!isLead) {
      if (ending > 0) from = word.to - (at === last ? 0 : ending)
      if (ending > 0 && strength === 'none') strength = word.text.includes(';') ? 'strong' : 'weak'
      break
    }
    from = word.from
    const isStrong = word.begins || LEADS.has(base) || word.text.includes(';')
    if (isStrong) strength = 'strong'
    else if (strength === 'none') strength = 'weak'
  }
  return { from, strength, branch }
}

/** A colon leads to a call only at the end of its line. */
const endingOf = (word: Word, next: Word | undefined): number =>
  next?.begins === true || !word.text.endsWith(':') ? word.ending : 0

const plain = (word: Word | undefined): string =>
  word === undefined || word.masked ? '?' : word.text.slice(0, word.text.length - word.ending).toLowerCase()
