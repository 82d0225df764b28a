import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'

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

/** The error for a renamed command, with the new name. */
export function formerCommand([first = '', second = '', ...rest]: readonly string[]):
  | EngineError
  | undefined {
  const typed = `${first} ${second}`
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
