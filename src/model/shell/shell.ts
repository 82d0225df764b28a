import type { Function as Definition, Script } from 'unbash'
import { absolutePath } from '../text/path.ts'
import { type Budget, COST, type Value } from './args.ts'
import { atMost, copied, merged, MOST_VALUES, type Scope, sizeOf, type Values } from './scope.ts'
import { syntaxOf } from './syntax.ts'

/** What only running the command would tell. */
export const UNKNOWN: Values = [undefined]
/** What a command prints that prints nothing. */
export const NOTHING: Values = []

type How = 'reads' | 'writes'

interface FoundPaths {
  readonly paths: Set<string>
  isUnresolved: boolean
}

/** Functions may be called by names that are not known. */
interface Calls {
  /** Those that nothing has called so far, with the shell that each was defined in. */
  readonly open: Map<Definition['body'], Shell>
  areUnsure: boolean
}

/** A shell that runs nothing: what it knows, and what it has found so far. */
export interface Shell {
  readonly scope: Scope
  readonly home: string | undefined
  readonly found: { readonly reads: FoundPaths; readonly writes: FoundPaths; opens: boolean }
  readonly budget: Budget
  readonly calls: Calls
  /** What the command at hand reads from its input; nothing where nobody redirected it. */
  readonly input: Values | undefined
  /** What separates the words of its input, where that is said for this command alone. */
  readonly separators: Values | undefined
  readonly depth: number
  /** In a function, the values from before it of what it has as its own. */
  readonly outer?: Map<string, Values | undefined> | undefined
  /** Here-documents that are still to be met, by the line that stands for each. */
  readonly documents: Map<string, string>
  /** Gives what a script prints. Here, because scripts stand in words and words in scripts. */
  readonly run: (script: Script, shell: Shell) => Values
}

/** Substitutions, and shells inside of shells: each may parse its text again. */
const DEEPEST = 30

/** Keeps what is known apart, as a subshell does. */
export function subshell(shell: Shell): Shell {
  shell.budget.left -= COST * sizeOf(shell.scope)
  return { ...shell, scope: copied(shell.scope) }
}

/** Goes on with what may be known after any of several ways. */
export function goOn(shell: Shell, scopes: readonly Scope[]): void {
  for (const scope of scopes) shell.budget.left -= COST * sizeOf(scope)
  Object.assign(shell.scope, merged(scopes))
}

export const isTooDeep = ({ depth, budget }: Shell): boolean => depth >= DEEPEST || budget.left < 0

/** What the script prints that stands in another command. */
export function runInside(script: Script | undefined, shell: Shell): Values {
  if (script === undefined || isTooDeep(shell)) return giveUp(shell)
  return atMost(shell.run(script, { ...shell, depth: shell.depth + 1 }))
}

const REDIRECTION = /(?<![\w<>=-])\d?(>[>|]?|<)[ \t]*([\w./~-][^\s;&|<>()'"`$]*)/g
const MOST_REDIRECTIONS = 50

/** Of a text that is too much to parse, the plain files that it seems to redirect are still noted. */
function noteRedirections(text: string, shell: Shell): void {
  let left = MOST_REDIRECTIONS
  for (const [, operator = '', path] of text.matchAll(REDIRECTION)) {
    note(path, shell, operator === '<' ? 'reads' : 'writes')
    if (--left === 0) return
  }
}

/** Runs a text as a command. A text that cannot be parsed remains unresolved. */
export function runText(text: Value, shell: Shell): Values {
  if (text === undefined) return UNKNOWN
  shell.budget.left -= text.length
  const syntax = syntaxOf(text)
  if (syntax === undefined) noteRedirections(text, shell)
  const documents = new Map(syntax?.documents)
  const output = runInside(syntax?.script, { ...shell, documents })
  // Something that only looked like a document was left out.
  return documents.size === 0 ? output : giveUp(shell)
}

/** What much is made of by variables, patterns and substitutions is not read to its end. */
export function giveUp({ found, calls }: Shell): Values {
  calls.areUnsure = true
  found.reads.isUnresolved = true
  found.writes.isUnresolved = true
  return UNKNOWN
}

/** Notes a file that is read or written. */
export function note(path: Value, shell: Shell, how: How): void {
  const { [how]: found } = shell.found
  shell.budget.left -= COST
  for (const cwd of shell.scope.cwds) {
    const absolute = path === undefined ? undefined : absolutePath(path, cwd)
    if (absolute !== undefined) found.paths.add(absolute)
    else if (path !== '') found.isUnresolved = true
  }
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
