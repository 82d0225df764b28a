import { nearest } from '../model/nearest.ts'
import { usage } from './io.ts'

/** What may follow a command. A flag takes a value unless it is a `switch`. */
export interface Flag {
  readonly kind: 'value' | 'switch'
  readonly summary: string
}

export type Flags = Readonly<Record<string, Flag>>

export interface Arguments {
  readonly positionals: readonly string[]
  readonly values: Readonly<Record<string, string>>
  readonly switches: ReadonlySet<string>
}

/** Splits what follows a command. `-` alone is a value (stdin), and everything after `--` is positional. */
export function parseArguments(words: readonly string[], flags: Flags, command: string): Arguments {
  const positionals: string[] = []
  const values: Record<string, string> = {}
  const switches = new Set<string>()
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
    const [given = '', ...rest] = word.split('=')
    const name = given.replace(/^-+/, '').replaceAll('-', '_')
    const flag = flags[name]
    if (flag === undefined) throw unknownFlag(given, flags, command)
    if (flag.kind === 'switch') {
      switches.add(name)
      continue
    }
    const value = rest.length > 0 ? rest.join('=') : words[++index]
    if (value === undefined) throw usage(`${given} needs a value.`, `holdfast ${command} --help`)
    values[name] = value
  }
  return { positionals, values, switches }
}

function unknownFlag(given: string, flags: Flags, command: string) {
  const meant = nearest(given.replace(/^-+/, ''), Object.keys(flags))
  const suggestion = meant.length === 0 ? '' : ` Did you mean --${meant.join(' or --')}?`
  return usage(`holdfast ${command} has no ${given}.${suggestion}`, `holdfast ${command} --help`)
}

/** A number from the command line, or a sentence about what was given instead. */
export function numberOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined
  if (text.trim() === '' || !Number.isFinite(Number(text)))
    throw usage(`--${name} must be a number, not ${JSON.stringify(text)}.`)
  return Number(text)
}
