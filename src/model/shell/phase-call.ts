import { absolutePath } from '../text/path.ts'
import { type ShellToken, shellTokens, type WordPart } from './words.ts'

type Proof = Readonly<Record<string, unknown>>

/** A call of ours in a shell command that would enter a phase. */
export interface PhaseCall {
  readonly effort:
    | { readonly kind: 'id'; readonly id: number }
    | { readonly kind: 'task'; readonly folder: string }
  readonly label: string
  /** Nothing where only running the command would tell, as with what is piped in. */
  readonly proof: Proof | undefined
  /** Proof that is given by a flag for each field, as it was typed. */
  readonly fields: Readonly<Record<string, string>>
  /** Whether the user is said to allow it, or somebody else is said to ask. */
  readonly isSpecial: boolean
  /** Whether nothing runs before it that could change what is judged. */
  readonly isFirst: boolean
}

/** What a word stands for; nothing where only running it would tell. */
type Word = string | undefined

interface SimpleCommand {
  readonly words: readonly Word[]
  readonly hasInput: boolean
}

/** The calls in a shell command that would enter a phase, as far as they can be read without running anything. */
export function phaseCallsIn(command: string, cwd: string | undefined): readonly PhaseCall[] {
  if (!command.includes('phase')) return []
  // A here-document leaves no token behind where it stands.
  const hasDocument = command.includes('<<')
  let folder = cwd
  let isFirst = true
  const calls: PhaseCall[] = []
  for (const { words, hasInput } of simpleCommands(shellTokens(command))) {
    const [program, target] = words
    if (program === 'cd') {
      folder = target === undefined ? undefined : absolutePath(target, folder)
      continue
    }
    const call = phaseCall(words, { folder, hasInput: hasInput || hasDocument, isFirst })
    if (call !== undefined) calls.push(call)
    isFirst = false
  }
  return calls
}

function simpleCommands(tokens: readonly ShellToken[]): readonly SimpleCommand[] {
  const commands: SimpleCommand[] = []
  let words: Word[] = []
  let hasInput = false
  let isTarget = false
  const finish = () => {
    if (words.length > 0) commands.push({ words, hasInput })
    words = []
    hasInput = false
  }
  for (const token of tokens) {
    if (token.kind === 'word') {
      if (!isTarget) words.push(textOf(token.parts))
      isTarget = false
    } else if (token.kind === 'operator') {
      isTarget = /[<>]/.test(token.text)
      hasInput ||= token.text.startsWith('<')
      if (!isTarget) finish()
    }
  }
  finish()
  return commands
}

/** Patterns, lists and the home folder are worked out by the shell alone. */
const textOf = (parts: readonly WordPart[]): Word =>
  parts.every((part) => part.kind === 'text' && (part.quoted || !/[*?[{~]/.test(part.text)))
    ? parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
    : undefined

const OURS: ReadonlySet<Word> = new Set(['holdfast', 'engine'])

function phaseCall(
  words: readonly Word[],
  around: { readonly folder: string | undefined; readonly hasInput: boolean; readonly isFirst: boolean },
): PhaseCall | undefined {
  const [noun, verb, ...rest] = ourWords(words)
  if ((noun !== 'effort' && noun !== 'session') || verb !== 'phase') return undefined
  const given = argumentsIn(rest)
  if (given?.positionals.length !== 2) return undefined
  const [subject = '', label = ''] = given.positionals
  const { proof: typed, ...flags } = given.flags
  const isNamed = noun === 'effort'
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

function ourWords([program, ...rest]: readonly Word[]): readonly Word[] {
  const name = program?.slice(program.lastIndexOf('/') + 1)
  if (OURS.has(name)) return rest
  return name === 'npx' && OURS.has(rest[0]) ? rest.slice(1) : []
}

const SPECIAL: ReadonlySet<string> = new Set(['reason', 'user_approved', 'agent', 'native_id', 'client'])
const SWITCHES: ReadonlySet<string> = new Set(['json', 'no_color'])

const plainName = (flag: string): string => flag.replaceAll('-', '_')

/** Flags take the word after them or what stands after `=`; whoever asks for help enters nothing. */
function argumentsIn(words: readonly Word[]) {
  const positionals: string[] = []
  const flags: Record<string, string> = {}
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === undefined) return undefined
    if (word === '--') return withRest(words.slice(at + 1), positionals, flags)
    if (!/^--?[a-zA-Z]/.test(word)) {
      positionals.push(word)
      continue
    }
    const [typed = '', ...after] = word.split('=')
    const name = typed.replace(/^-+/, '')
    if (name === 'help' || name === 'h') return undefined
    if (SWITCHES.has(plainName(name))) continue
    const value = after.length > 0 ? after.join('=') : words[++at]
    if (value === undefined) return undefined
    flags[name] = value
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

/** Nothing where what was typed is no proof at all, so that the command itself says so. */
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

/** `--tests-pass`, `--tests_pass` and `--testsPass` are one field, whichever of them the skill declares. */
export function proofField(flag: string, asked: readonly string[]): string | undefined {
  const plain = (name: string) => name.replaceAll(/[-_]/g, '').toLowerCase()
  return asked.find((one) => one === flag) ?? asked.find((one) => plain(one) === plain(flag))
}

/** true, false, numbers, lists and objects are what they say; everything else is text. */
export function proofValue(text: string): unknown {
  const isData = /^(true|false|-?\d+(\.\d+)?([eE][+-]?\d+)?|[[{][^]*)$/.test(text.trim())
  if (!isData) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
