import type { Wired, Wiring } from '../../model/client-settings.ts'
import { UNASKED_COMMANDS } from '../../model/lock.ts'
import { shellWord } from '../../model/shell/word.ts'
import { PROGRAM } from '../../model/text/told-commands.ts'
import { drop, type JsonPath, put, putBack, valueAt } from '../json-text.ts'
import { listOf } from './fields.ts'

export const ALLOW: JsonPath = ['permissions', 'allow']

/**
 * The rules that let agents call our safe commands. By path, because an agent can put another program on the PATH; only
 * a shared file, which contains no path, names the command.
 */
const rulesFor = ({ scope, launcher }: Pick<Wiring, 'scope' | 'launcher'>): readonly string[] =>
  UNASKED_COMMANDS.map((name) => `Bash(${scope === 'project' ? PROGRAM : shellWord(launcher)} ${name} *)`)

/** Any skill. Users write it without the star, so each finds its own again. */
const SKILLS = 'Skill(*)'
const ALL_SKILLS: ReadonlySet<string> = new Set(['Skill', SKILLS])

/** Puts in our rules, instead of those of another home and of older versions. */
export function withPermissions(text: string, wiring: Wiring): string {
  const { allowsHoldfast, allowsSkills = false } = wiring
  const isSaid = listOf(valueAt(text, ALLOW)).includes('Skill')
  const wanted = [...(allowsHoldfast ? rulesFor(wiring) : []), ...(allowsSkills && !isSaid ? [SKILLS] : [])]
  const less = withoutRules(text, (rule) => isPermission(rule) && !wanted.includes(rule))
  return withRules(less, wanted)
}

/** Takes out our rules; what stood there before stays or returns. */
export function withoutPermissions(text: string, original: string): string {
  const kept = listOf(valueAt(original, ALLOW)).map(String)
  const less = withoutRules(text, (rule) => isPermission(rule) && !kept.includes(rule))
  const left = listOf(valueAt(less, ALLOW)).map(String)
  const lost = kept.filter((rule) => isPermission(rule) && !left.includes(rule))
  if (less === text || lost.length === 0) return less
  const isAsBefore = [...left, ...lost].toSorted().join('\n') === kept.toSorted().join('\n')
  return isAsBefore ? putBack(less, ALLOW, original) : withRules(less, lost)
}

function withoutRules(text: string, isGone: (rule: string) => boolean): string {
  let after = text
  for (const [index, rule] of [...listOf(valueAt(text, ALLOW)).entries()].toReversed())
    if (isGone(String(rule))) after = drop(after, [...ALLOW, index])
  return after
}

function withRules(text: string, wanted: readonly string[]): string {
  let after = text
  for (const rule of wanted) {
    const allowed = valueAt(after, ALLOW)
    if (allowed === undefined) after = put(after, ALLOW, [rule])
    else if (!listOf(allowed).includes(rule)) after = put(after, [...ALLOW, listOf(allowed).length], rule)
  }
  return after
}

/** Whether agents may call us without asking, and whether that includes commands that run any code. */
export function readPermissions(
  body: string,
): Pick<Wired, 'allowsHoldfast' | 'allowsAnything' | 'allowsSkills'> {
  const rules = listOf(valueAt(body, ALLOW)).map(String)
  return {
    allowsHoldfast: rules.some(isOfCommands),
    allowsAnything: rules.some((rule) => BROAD.test(rule)),
    allowsSkills: rules.some((rule) => ALL_SKILLS.has(rule)),
  }
}

/** By its name, as older versions wrote it, or by the path of a launcher. */
const OURS = String.raw`^Bash\((?:holdfast|(?:'/.*|/\S*)/bin/holdfast'?) `
const BROAD = new RegExp(String.raw`${OURS}\*\)$`)
const SAFE = new RegExp(String.raw`${OURS}(?:${UNASKED_COMMANDS.join('|')}) \*\)$`)

const isOfCommands = (rule: string): boolean => BROAD.test(rule) || SAFE.test(rule)

const isPermission = (rule: string): boolean => rule === SKILLS || isOfCommands(rule)
