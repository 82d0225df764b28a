import { flagIn } from '../text/flag.ts'
import { absolutePath } from '../text/path.ts'
import { ourWords, simpleCommands, type Word } from './our-calls.ts'

type Proof = Readonly<Record<string, unknown>>

/** A holdfast call in a shell command that would enter a phase. */
export interface PhaseCall {
  readonly effort:
    | { readonly kind: 'id'; readonly id: number }
    | { readonly kind: 'task'; readonly folder: string }
  readonly label: string
  /** Undefined if it is known only at run time, such as piped input. */
  readonly proof: Proof | undefined
  /** Proof given as one flag per field, as typed. */
  readonly fields: Readonly<Record<string, string>>
  /** Whether it claims the user's approval or another caller. */
  readonly isSpecial: boolean
  /** Whether no earlier command could change the outcome. */
  readonly isFirst: boolean
}

/** Words of the commands that enter a phase. */
const MOVES = /phase|step/

/** The calls in a shell command that would enter a phase, found without running it. */
export function phaseCallsIn(command: string, cwd: string | undefined): readonly PhaseCall[] {
  if (!MOVES.test(command)) return []
  let folder = cwd
  let isFirst = true
  const calls: PhaseCall[] = []
  for (const { words, hasInput } of simpleCommands(command)) {
    const [program, target] = words
    if (program === 'cd') {
      folder = target === undefined ? undefined : absolutePath(target, folder)
      continue
    }
    const call = phaseCall(words, { folder, hasInput, isFirst })
    if (call !== undefined) calls.push(call)
    isFirst = false
  }
  return calls
}

function phaseCall(
  words: readonly Word[],
  around: { readonly folder: string | undefined; readonly hasInput: boolean; readonly isFirst: boolean },
): PhaseCall | undefined {
  const [noun, verb, ...rest] = ourWords(words)
  const isStep = noun === 'step' && verb === 'go'
  if (!isStep && ((noun !== 'effort' && noun !== 'session') || verb !== 'phase')) return undefined
  const found = argumentsIn(rest)
  const given = isStep ? namedByFlag(found) : found
  if (given?.positionals.length !== 2) return undefined
  const [subject = '', label = ''] = given.positionals
  const { proof: typed, ...flags } = given.flags
  const isNamed = noun !== 'session'
  const effort = isNamed ? effortNumbered(subject) : effortIn(subject, around.folder)
  const shown = proofOf(typed, !isNamed && around.hasInput)
  if (effort === undefined || shown === undefined) return undefined
  const fields = Object.entries(flags).filter(([name]) => !SPECIAL.has(plainName(name)))
  if (!isNamed && fields.length > 0) return undefined
  return {
    effort,
    label,
    proof: shown.proof,
    fields: Object.fromEntries(fields),
    isSpecial: Object.keys(flags).length > fields.length,
    isFirst: around.isFirst,
  }
}

/** `step go LABEL --effort N` names the effort by a flag. */
function namedByFlag(given: ReturnType<typeof argumentsIn>): ReturnType<typeof argumentsIn> {
  if (given === undefined) return undefined
  const { effort = '', ...flags } = given.flags
  return { positionals: [effort, ...given.positionals], flags }
}

const SPECIAL: ReadonlySet<string> = new Set(['reason', 'user_approved', 'agent', 'native_id', 'client'])
const SWITCHES: ReadonlySet<string> = new Set(['json', 'no_color'])

const plainName = (flag: string): string => flag.replaceAll('-', '_')

/** Flags take the next word or the text after `=`; a call for help enters no phase. */
function argumentsIn(words: readonly Word[]) {
  const positionals: string[] = []
  const flags: Record<string, string> = {}
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === undefined) return undefined
    if (word === '--') return withRest(words.slice(at + 1), positionals, flags)
    const flag = flagIn(word)
    if (flag === undefined) {
      positionals.push(word)
      continue
    }
    if (flag.name === 'help' || flag.name === 'h') return undefined
    if (SWITCHES.has(flag.name)) continue
    const value = flag.given ?? words[++at]
    if (value === undefined) return undefined
    flags[flag.typed.replace(/^-+/, '')] = value
  }
  return { positionals, flags }
}

function withRest(
  words: readonly Word[],
  positionals: readonly string[],
  flags: Readonly<Record<string, string>>,
) {
  const more = words.filter((word) => word !== undefined)
  return more.length === words.length ? { positionals: [...positionals, ...more], flags } : undefined
}

const effortNumbered = (text: string): PhaseCall['effort'] | undefined =>
  /^[0-9]{1,15}$/.test(text) ? { kind: 'id', id: Number(text) } : undefined

function effortIn(text: string, cwd: string | undefined): PhaseCall['effort'] | undefined {
  const folder = absolutePath(text, cwd)
  return folder === undefined ? undefined : { kind: 'task', folder }
}

/** Undefined for invalid proof, so that the command itself reports it. */
function proofOf(
  typed: string | undefined,
  isPiped: boolean,
): { readonly proof: Proof | undefined } | undefined {
  if (typed === undefined) return { proof: isPiped ? undefined : {} }
  if (typed === '-' || typed.startsWith('@')) return { proof: undefined }
  try {
    const value = JSON.parse(typed) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { proof: value as Proof }
      : undefined
  } catch {
    return undefined
  }
}
