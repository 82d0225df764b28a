import { nearest } from '../../model/text/nearest.ts'
import { shellWord } from '../../model/shell/word.ts'
import { formerFlag } from './former.ts'
import { usage } from './io.ts'

/** What may follow a command. A flag takes a value unless it is a `switch`. */
export interface Flag {
  readonly kind: 'value' | 'switch'
  readonly summary: string
  /** The one letter that other programs have taught for it. */
  readonly short?: string
  /** For programs rather than people: only `help --all` tells of it. */
  readonly advanced?: true
}

export type Flags = Readonly<Record<string, Flag>>

/** Every command has these. */
export const GLOBAL_FLAGS: Flags = {
  json: { kind: 'switch', summary: 'print data as JSON; errors too, on stderr' },
  no_color: { kind: 'switch', summary: 'plain text; NO_COLOR does the same' },
  help: { kind: 'switch', summary: 'help for any command', short: 'h' },
}

export interface Arguments {
  readonly positionals: readonly string[]
  /** A switch that was said to be off stands here as `false`. */
  readonly values: Readonly<Record<string, string>>
  readonly switches: ReadonlySet<string>
  /** Flags that the command does not name, as they were typed; only where it takes them. */
  readonly others?: Readonly<Record<string, string>>
}

/** Splits what follows a command. `-` alone is a value (stdin), and everything after `--` is positional. */
export function parseArguments(
  words: readonly string[],
  own: Flags,
  command: string,
  takesOthers = false,
): Arguments {
  const flags = { ...own, ...GLOBAL_FLAGS }
  const positionals: string[] = []
  const values: Record<string, string> = {}
  const switches = new Set<string>()
  const others: Record<string, string> = {}
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    if (word === '--') {
      positionals.push(...words.slice(index + 1))
      break
    }
    if (!/^--?[a-zA-Z]/.test(word)) {
      positionals.push(word)
      continue
    }
    const former = takesOthers ? undefined : formerFlag(nameIn(word), flags)
    if (former !== undefined)
      throw usage(
        `${word.split('=')[0] ?? ''} is now --${kebab(former)}.`,
        `holdfast ${command} ${words
          .with(index, word.replace(/^[^=]*/, `--${kebab(former)}`))
          .map(shellWord)
          .join(' ')}`,
      )
    const { name, isOff, isOther, given } = flagOf(word, flags, { command, takesOthers })
    if (flags[name]?.kind === 'switch') {
      if (isOff || given === 'false') values[name] = 'false'
      else if (given === undefined || given === 'true') switches.add(name)
      else
        throw usage(
          `--${kebab(name)} is on or off, so it takes no ${JSON.stringify(given)}.`,
          `holdfast ${command} --${kebab(name)}`,
        )
      continue
    }
    const value = given ?? words[++index]
    if (value === undefined) throw usage(`--${kebab(name)} needs a value.`, `holdfast ${command} --help`)
    if (isOther) others[name] = value
    else values[name] = value
  }
  return { positionals, values, switches, ...(takesOthers && { others }) }
}

/** The name of a flag as commands declare it. */
const nameIn = (word: string): string => (word.split('=')[0] ?? '').replace(/^-+/, '').replaceAll('-', '_')

/** `--name`, `--name=value`, `--no-name`, `-n`; hyphens and underscores are the same. */
function flagOf(
  word: string,
  flags: Flags,
  { command, takesOthers }: { readonly command: string; readonly takesOthers: boolean },
) {
  const [typed = '', ...rest] = word.split('=')
  const plain = nameIn(word)
  const name = Object.keys(flags).find((flag) => flags[flag]?.short === plain) ?? plain
  const given = rest.length > 0 ? rest.join('=') : undefined
  if (Object.hasOwn(flags, name)) return { name, given, isOff: false, isOther: false }
  const without = name.replace(/^no_/, '')
  if (without !== name && Object.hasOwn(flags, without) && flags[without]?.kind === 'switch')
    return { name: without, given, isOff: true, isOther: false }
  if (takesOthers) return { name: typed.replace(/^-+/, ''), given, isOff: false, isOther: true }
  const meant = nearest(name, Object.keys(flags))
  const suggestion = meant.length === 0 ? '' : ` Did you mean --${meant.map(kebab).join(' or --')}?`
  const program = `holdfast ${command}`.trim()
  throw usage(`${program} has no ${typed}.${suggestion}`, `${program} --help`)
}

/** As flags are shown; typed, hyphens and underscores are the same. */
const kebab = (name: string): string => name.replaceAll('_', '-')

/** A number from the command line, or a sentence about what was given instead. */
export function numberOf(text: string, name: string): number {
  if (text.trim() === '' || !Number.isFinite(Number(text)))
    throw usage(`${name} must be a number, not ${JSON.stringify(text)}.`)
  return Number(text)
}
