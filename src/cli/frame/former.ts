import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { usage } from './io.ts'

interface Former {
  readonly now: string
  /** Whether its arguments are unchanged. */
  readonly same?: true
}

/** Renamed commands. */
const COMMANDS: Readonly<Record<string, Former>> = {
  'agent get': { now: 'agent show', same: true },
  'effort dehydrate': { now: 'session dehydrate' },
  'effort get': { now: 'effort show', same: true },
  'effort recap': { now: 'recap', same: true },
  'project set-level': { now: 'enforce' },
  'project set-session-gate': { now: 'enforce' },
  'project status': { now: 'status', same: true },
}

interface Older {
  /** What does the same here. */
  readonly says: string
  /** The command, filled with the words that were typed. */
  readonly hint: (...words: readonly string[]) => string
}

/** Words of the older `engine session` that no command has. */
const OLDER: Readonly<Record<string, Older>> = {
  'session update': {
    says: 'Hooks keep the state of a session; what a skill must know is stored with its effort.',
    hint: (dir = 'DIR', field = 'FIELD', value = 'VALUE') =>
      `effort start ${shellWord(dir)} SKILL --metadata ${shellWord(JSON.stringify({ [field]: value }))}`,
  },
  'session target': {
    says: 'The target file of a skill is stored with its effort.',
    hint: (dir = 'DIR', file = 'FILE') =>
      `session activate ${shellWord(dir)} SKILL --target-file ${shellWord(file)}`,
  },
  'session clear': {
    says: 'The client clears its own context; Holdfast hands the work over to the next session.',
    hint: (dir = 'DIR') => `session restart ${shellWord(dir)}`,
  },
  'session request-template': {
    says: 'Requests for later need no template; they wait in the queue of the project.',
    hint: () => 'queue add TEXT --kind request',
  },
  'session evaluate-guards': {
    says: 'Hooks check the rules at every event; a refusal is explained afterwards.',
    hint: () => 'why',
  },
}

/** The error for a renamed command, with the new name. */
export function formerCommand([first = '', second = '', ...rest]: readonly string[]):
  | EngineError
  | undefined {
  const typed = `${first} ${second}`
  const older = OLDER[typed]
  if (older !== undefined) return usage(older.says, `holdfast ${older.hint(...rest)}`)
  const former = COMMANDS[typed]
  if (former === undefined) return undefined
  const more = former.same === true ? rest.map((word) => ` ${shellWord(renamed(word))}`).join('') : ' --help'
  return new EngineError('unknown-method', `"holdfast ${typed}" is now "holdfast ${former.now}".`, {
    hint: `holdfast ${former.now}${more}`,
  })
}

/** The new name of a renamed flag, if the command has it. */
export function formerFlag(name: string, flags: Readonly<Record<string, unknown>>): string | undefined {
  if (Object.hasOwn(flags, name)) return undefined
  const now = name === 'user_approved' ? 'reason' : name.replace(/_id$/, '')
  return Object.hasOwn(flags, now) ? now : undefined
}

/** Replaces a renamed flag in a word of a command line. */
const renamed = (word: string): string => word.replace(/^(--\w+)[-_]id(?==|$)/, '$1')
