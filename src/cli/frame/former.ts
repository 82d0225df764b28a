import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'

interface Former {
  readonly now: string
  /** Whether what follows the name is still typed the same way. */
  readonly same?: true
}

/** Commands that had a second name. */
const COMMANDS: Readonly<Record<string, Former>> = {
  'agent get': { now: 'agent show', same: true },
  'effort dehydrate': { now: 'session dehydrate' },
  'effort get': { now: 'effort show', same: true },
  'effort recap': { now: 'recap', same: true },
  'project set-level': { now: 'enforce' },
  'project set-session-gate': { now: 'enforce' },
  'project status': { now: 'status', same: true },
}

/** The error for a command that was called otherwise before; it names the command that works. */
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

/** What a flag is called now, if the command has it only by that name. */
export function formerFlag(name: string, flags: Readonly<Record<string, unknown>>): string | undefined {
  if (Object.hasOwn(flags, name)) return undefined
  const now = name === 'user_approved' ? 'reason' : name.replace(/_id$/, '')
  return Object.hasOwn(flags, now) ? now : undefined
}

/** A word of an older command line, with the flags of today. */
const renamed = (word: string): string => word.replace(/^(--\w+)[-_]id(?==|$)/, '$1')
