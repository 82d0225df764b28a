import { flagIn } from '../../model/text/flag.ts'
import { nearest } from '../../model/text/nearest.ts'
import { shellWord } from '../../model/shell/word.ts'
import { formerFlag } from './former.ts'
import { usage } from './io.ts'

/** A flag of a command; it takes a value unless it is a `switch`. */
export interface Flag {
  readonly kind: 'value' | 'switch'
  readonly summary: string
  /** The customary one-letter name. */
  readonly short?: string
  /** Set if it may be given several times; `lists` has every value. */
  readonly many?: true
  /** For programs; only `help --all` lists it. */
  readonly advanced?: true
}

export type Flags = Readonly<Record<string, Flag>>

/** Every command has these. */
export const GLOBAL_FLAGS: Flags = {
  json: { kind: 'switch', summary: 'print JSON; errors too, on stderr' },
  no_color: { kind: 'switch', summary: 'print without colors; same as NO_COLOR' },
  help: { kind: 'switch', summary: 'show help', short: 'h' },
}

export interface Arguments {
  readonly positionals: readonly string[]
  /** A switch that was turned off has the value `false` here. */
  readonly values: Readonly<Record<string, string>>
  readonly switches: ReadonlySet<string>
  /** Every value of the flags that may be given several times. */
  readonly lists?: Readonly<Record<string, readonly string[]>>
  /** Undeclared flags as typed, if the command accepts them. */
  readonly others?: Readonly<Record<string, string>>
}

/** Parses the words after a command. `-` alone is a value (stdin); words after `--` are positional. */
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
  const lists: Record<string, string[]> = {}
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    if (word === '--') {
      positionals.push(...words.slice(index + 1))
      break
    }
    const flag = flagIn(word)
    if (flag === undefined) {
      positionals.push(word)
      continue
    }
    const former = takesOthers ? undefined : formerFlag(flag.name, flags)
    if (former !== undefined)
      throw usage(
        `${flag.typed} is now --${kebab(former)}.`,
        `holdfast ${command} ${words
          .with(index, word.replace(/^[^=]*/, `--${kebab(former)}`))
          .map(shellWord)
          .join(' ')}`,
      )
    const { name, isOff, isOther, given } = flagOf(flag, flags, { command, takesOthers })
    if (flags[name]?.kind === 'switch') {
      if (isOff || given === 'false') values[name] = 'false'
      else if (given === undefined || given === 'true') switches.add(name)
      else
        throw usage(
          `--${kebab(name)} can only be true or false, not ${JSON.stringify(given)}.`,
          `holdfast ${command} --${kebab(name)}`,
        )
      continue
    }
    const value = given ?? words[++index]
    if (value === undefined) throw usage(`--${kebab(name)} needs a value.`, `holdfast ${command} --help`)
    if (isOther) others[name] = value
    else values[name] = value
    if (flags[name]?.many === true) (lists[name] ??= []).push(value)
  }
  const isMany = Object.keys(lists).length > 0
  return { positionals, values, switches, ...(isMany && { lists }), ...(takesOthers && { others }) }
}

/** Accepts `--name`, `--name=value`, `--no-name` and `-n`; hyphens and underscores are equal. */
function flagOf(
  { typed, name: plain, given }: NonNullable<ReturnType<typeof flagIn>>,
  flags: Flags,
  { command, takesOthers }: { readonly command: string; readonly takesOthers: boolean },
) {
  const name = Object.keys(flags).find((flag) => flags[flag]?.short === plain) ?? plain
  if (Object.hasOwn(flags, name)) return { name, given, isOff: false, isOther: false }
  const without = name.replace(/^no_/, '')
  if (without !== name && Object.hasOwn(flags, without) && flags[without]?.kind === 'switch')
    return { name: without, given, isOff: true, isOther: false }
  if (takesOthers) return { name: typed.replace(/^-+/, ''), given, isOff: false, isOther: true }
  const meant = nearest(name, Object.keys(flags))
  const suggestion = meant.length === 0 ? '' : ` Did you mean --${meant.map(kebab).join(' or --')}?`
  const program = `holdfast ${command}`.trim()
  throw usage(`${program} has no flag ${typed}.${suggestion}`, `${program} --help`)
}

/** The form of a flag in output. */
const kebab = (name: string): string => name.replaceAll('_', '-')

/** Parses a number from the command line, or throws a usage error. */
export function numberOf(text: string, name: string): number {
  if (text.trim() === '' || !Number.isFinite(Number(text)))
    throw usage(`${name} must be a number, not ${JSON.stringify(text)}.`)
  return Number(text)
}
