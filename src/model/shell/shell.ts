import type { Script } from 'unbash'
import { absolutePath } from '../text/path.ts'
import { type Budget, COST, type Value } from './args.ts'
import { syntaxOf } from './syntax.ts'

/** All that a word may stand for, or that a command prints. */
export type Values = readonly Value[]

/** What only running the command would tell. */
export const UNKNOWN: Values = [undefined]
/** What a command prints that prints nothing. */
export const NOTHING: Values = []

type How = 'reads' | 'writes'

interface FoundPaths {
  readonly paths: Set<string>
  isUnresolved: boolean
}

/** What a shell keeps from one command to the next. */
interface Scope {
  cwd: string | undefined
  variables: Map<string, Values>
}

/** A shell that runs nothing: what it knows, and what it has found so far. */
export interface Shell {
  readonly scope: Scope
  readonly home: string | undefined
  readonly found: { readonly reads: FoundPaths; readonly writes: FoundPaths; opens: boolean }
  readonly budget: Budget
  /** What the command at hand reads from its input; nothing where nobody redirected it. */
  readonly input: Values | undefined
  /** Whether the command at hand surely runs, so that what it assigns replaces what was there. */
  readonly isSure: boolean
  readonly depth: number
  /** Here-documents that are still to be met, by the line that stands for each. */
  readonly documents: Map<string, string>
  /** Gives what a script prints. Here, because scripts stand in words and words in scripts. */
  readonly run: (script: Script, shell: Shell) => Values
}

const MOST_VALUES = 64
const MOST_VARIABLES = 100
/** Substitutions, and shells inside of shells: each may parse its text again. */
const DEEPEST = 30

/** What is left out of too many values is not known. */
export const atMost = (values: Values): Values =>
  values.length <= MOST_VALUES ? values : [...values.slice(0, MOST_VALUES - 1), undefined]

/** Keeps what is known apart, as a subshell does. */
export function subshell(shell: Shell): Shell {
  const { cwd, variables } = shell.scope
  shell.budget.left -= COST * variables.size
  return { ...shell, scope: { cwd, variables: new Map(variables) } }
}

export const isTooDeep = ({ depth, budget }: Shell): boolean => depth >= DEEPEST || budget.left < 0

/** What the script prints that stands in another command. */
export function runInside(script: Script | undefined, shell: Shell): Values {
  if (script === undefined || isTooDeep(shell)) return giveUp(shell)
  return atMost(shell.run(script, { ...shell, depth: shell.depth + 1 }))
}

/** Runs a text as a command. A text that cannot be parsed remains unresolved. */
export function runText(text: Value, shell: Shell): Values {
  if (text === undefined) return UNKNOWN
  shell.budget.left -= text.length
  const syntax = syntaxOf(text)
  const documents = new Map(syntax?.documents)
  const output = runInside(syntax?.script, { ...shell, documents })
  // Something that only looked like a document was left out.
  return documents.size === 0 ? output : giveUp(shell)
}

/** What much is made of by variables, patterns and substitutions is not read to its end. */
export function giveUp({ found }: Shell): Values {
  found.reads.isUnresolved = true
  found.writes.isUnresolved = true
  return UNKNOWN
}

/** Notes a file that is read or written. */
export function note(path: Value, shell: Shell, how: How): void {
  const { [how]: found } = shell.found
  shell.budget.left -= COST
  const absolute = path === undefined ? undefined : absolutePath(path, shell.scope.cwd)
  if (absolute !== undefined) found.paths.add(absolute)
  else if (path !== '') found.isUnresolved = true
}

/** What is only perhaps assigned comes to what was there before. */
export function assign(name: string, values: Values, { scope, isSure }: Shell): void {
  const { variables } = scope
  const before = variables.get(name)
  if (before === undefined && variables.size >= MOST_VARIABLES) return
  variables.set(name, atMost([...(isSure ? [] : (before ?? [])), ...values]))
}

/** Puts each of the options behind each of the values. */
export function product(values: Values, options: Values, { budget }: Shell): Values {
  const joined: Value[] = []
  for (const value of values) {
    for (const option of value === undefined ? UNKNOWN : options) {
      budget.left -= COST + (option?.length ?? 0)
      const isKnown = value !== undefined && option !== undefined && budget.left >= 0
      joined.push(isKnown ? value + option : undefined)
      if (joined.length > MOST_VALUES) return atMost(joined)
    }
  }
  return joined
}
