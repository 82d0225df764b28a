import type { Function as Definition, Script } from 'unbash'
import { absolutePath } from '../text/path.ts'
import { type Budget, COST, type Value } from './args.ts'
import { atMost, copied, merged, MOST_VALUES, type Scope, sizeOf, type Values } from './scope.ts'
import { matchesGlob } from '../text/glob.ts'
import { pathsIn } from './named-paths.ts'
import { syntaxOf } from './syntax.ts'

/** A value that is known only at run time. */
export const UNKNOWN: Values = [undefined]
/** The output of a command that prints nothing. */
export const NOTHING: Values = []

type How = 'reads' | 'writes'

interface FoundPaths {
  readonly paths: Set<string>
  isUnresolved: boolean
}

/** What a command has shown of itself so far. */
export interface Found {
  readonly reads: FoundPaths
  readonly writes: FoundPaths
  /** Paths given to programs that may do anything with them. */
  readonly asked: Set<string>
  /** Paths given to programs that change files, or unpack into folders, without a look at their texts. */
  readonly handled: Set<string>
  readonly changed: Set<string>
  /** The words of each call of our program. */
  readonly ours: Values[]
  /** What a copy or a move of many files takes along, as patterns. */
  readonly taken: Set<string>
  /** Files among those that it reads that it copies or packs. */
  readonly copied: Set<string>
  /** True if a limit was reached. */
  isLimited: boolean
  /** Names that the command itself gives to files, each with the file. */
  readonly links: { readonly to: string; readonly from: string }[]
  /** The output of process substitutions, by the word that stands for each. */
  readonly pipes: Map<string, Values>
  /** The names of variables that programs get. */
  readonly exported: Set<string>
  /** True if programs get every variable. */
  isAllExported: boolean
  /** True if a plain name may be another program than usual. */
  hasOwnPrograms: boolean
  /** Folders that it enters; one that does not exist is not entered. */
  readonly entered: Set<string>
  /** The texts that it writes into files, which it may run later. */
  readonly made: { readonly path: string; readonly text: Values }[]
  /** True if it runs a text that is known only at run time, of which any of its words may be a part. */
  runsUnknown: boolean
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
  /** Our own folder, which the environment names. */
  readonly ours: string | undefined
  readonly found: Found
  readonly budget: Budget
  readonly calls: Calls
  /** What the command at hand reads from its input; nothing where nobody redirected it. */
  readonly input: Values | undefined
  /** The value of IFS that is assigned for this command alone. */
  readonly separators: Values | undefined
  /** The values that are assigned for this command alone. */
  readonly given?: Values | undefined
  readonly depth: number
  /** In a function, the values from before it of what it has as its own. */
  readonly outer?: Map<string, Values | undefined> | undefined
  /** In a function, the scopes in which it may have ended early. */
  readonly returns?: Scope[] | undefined
  /** Here-documents that are still to be met, by the line that stands for each. */
  readonly documents: Map<string, string>
  /** Runs a script and returns its output; a field, because scripts and words contain each other. */
  readonly run: (script: Script, shell: Shell) => Values
}

/** The deepest nesting of substitutions and shells; each level may parse its text again. */
const DEEPEST = 30

/** Copies the scope, as a subshell does. */
export function subshell(shell: Shell): Shell {
  shell.budget.left -= COST * sizeOf(shell.scope)
  return { ...shell, scope: copied(shell.scope) }
}

/** Continues with the merged scopes of several branches. */
export function goOn(shell: Shell, scopes: readonly Scope[]): void {
  for (const scope of scopes) shell.budget.left -= COST * sizeOf(scope)
  Object.assign(shell.scope, merged(scopes))
}

export const isTooDeep = ({ depth, budget }: Shell): boolean => depth >= DEEPEST || budget.left < 0

/** Runs a script inside another command and returns its output. */
export function runInside(script: Script | undefined, shell: Shell): Values {
  if (script === undefined || isTooDeep(shell)) return giveUp(shell)
  return atMost(shell.run(script, { ...shell, depth: shell.depth + 1 }), shell.scope)
}

const REDIRECTION = /(?<![\w<>=-])\d?(>[>|]?|<)[ \t]*([\w./~-][^\s;&|<>()'"`$]*)/g
const MOST_REDIRECTIONS = 50

/** Notes plain redirections in a text that is too complex to parse. */
function noteRedirections(text: string, shell: Shell): void {
  let left = MOST_REDIRECTIONS
  for (const [, operator = '', path] of text.matchAll(REDIRECTION)) {
    note(path, shell, operator === '<' ? 'reads' : 'writes')
    if (--left === 0) return
  }
}

/** Runs a text as a command; an invalid text is unresolved. */
export function runText(text: Value, shell: Shell): Values {
  if (text === undefined) return UNKNOWN
  shell.budget.left -= text.length
  const syntax = syntaxOf(text)
  if (syntax === undefined) noteRedirections(text, shell)
  const documents = new Map(syntax?.documents)
  const output = runInside(syntax?.script, { ...shell, documents })
  // A leftover placeholder was not a here-document, so its text was skipped.
  return documents.size === 0 ? output : giveUp(shell)
}

/** What much is made of by variables, patterns and substitutions is not read to its end. */
export function giveUp({ found, calls }: Shell): Values {
  calls.areUnsure = true
  found.isLimited = true
  found.reads.isUnresolved = true
  found.writes.isUnresolved = true
  return UNKNOWN
}

/** Notes a file that is read or written. */
export function note(given: Value, shell: Shell, how: How): void {
  // A class of characters may mean any of them.
  const path = given?.replaceAll(/\[[^\]/]*\[:\w+:\][^\]/]*\]/g, '?')
  const { [how]: found } = shell.found
  shell.budget.left -= COST
  for (const cwd of shell.scope.cwds) {
    const absolute = path === undefined ? undefined : pathFrom(path, cwd)
    if (absolute === undefined) found.isUnresolved ||= path !== ''
    else for (const one of [absolute, ...linkedTo(absolute, shell)]) found.paths.add(one)
    // Behind a link, the folder above is another one.
    if (path !== undefined && cwd !== undefined && absolute !== undefined && /[^/.]\/\.\./.test(path))
      found.paths.add(path.startsWith('/') ? path : `${cwd}/${path}`)
  }
}

/** Notes a file that is copied. */
export function noteCopied(path: Value, shell: Shell): void {
  note(path, shell, 'reads')
  for (const cwd of shell.scope.cwds) {
    const absolute = path === undefined ? undefined : pathFrom(path, cwd)
    if (absolute !== undefined) shell.found.copied.add(absolute)
  }
}

/** An absolute path; the process that reads it knows its own folder by another name too. */
export const pathFrom = (path: string, cwd: Value): Value =>
  absolutePath(
    absolutePath(path.replace(/^\/dev\/fd(?=\/)/, '/proc/self/fd'), cwd)?.replace(
      OWN_FOLDER,
      () => cwd ?? '',
    ) ?? '',
    cwd,
  )

const OWN_FOLDER = /^\/proc\/(?:self|thread-self|\d+)\/cwd(?=\/|$)/

/** The most links, and the most files with texts, that a command makes. */
export const MOST_LINKS = 50

/** Notes that the command itself gives a file another name. */
export function link(from: Value, to: Value, shell: Shell): void {
  const { links } = shell.found
  for (const cwd of shell.scope.cwds) {
    const [source, target] = [from, to].map((path) => (path === undefined ? undefined : pathFrom(path, cwd)))
    if (source === undefined || target === undefined) continue
    if (links.length >= MOST_LINKS) return void giveUp(shell)
    // The target may be a folder that exists.
    const name = source.slice(source.lastIndexOf('/'))
    links.push({ to: target, from: source }, { to: `${target}${name}`.replace('//', '/'), from: source })
  }
}

/** The files behind a name that the command itself gave, also by another such name. */
function linkedTo(path: string, { found: { links, reads } }: Shell): readonly string[] {
  const all = new Set([path])
  // Below an open file, that file is a folder which the command itself has opened.
  const [, below] = /^\/proc\/\w+\/fd\/\d+(\/.+)$/.exec(path) ?? []
  if (below !== undefined)
    for (const opened of [...reads.paths].slice(0, MOST_LINKS)) all.add(`${opened}${below}`)
  // The loop also visits what it adds; more names than links would be a circle.
  for (const one of all)
    for (const { to, from } of all.size > MOST_LINKS ? [] : links) {
      if (one === to || one.startsWith(`${to}/`)) all.add(from + one.slice(to.length))
      else if (/[*?[]/.test(one) && matchesGlob(one, to)) all.add(from)
    }
  all.delete(path)
  return [...all]
}

/** Variables whose values a shell, git or a runtime reads or runs by itself. */
const RUN_BY_OTHERS =
  /^(?:PS\d|PROMPT_COMMAND|BASH_ENV|ENV|PAGER|EDITOR|VISUAL|BROWSER|GIT_\w+|LD_\w+|\w+_(?:PAGER|EDITOR|COMMAND|OPTIONS))$/
/** Variables that change what a plain name means. */
const CHANGES_NAMES = /^(?:CDPATH|HOME|GIT_WORK_TREE|GLOBIGNORE|BASH_ALIASES|BASH_CMDS|SHELLOPTS|BASHOPTS)$/

/** Notes the files in values that somebody else may run. */
export function askOf(name: string, values: Values, shell: Shell): void {
  if (CHANGES_NAMES.test(name)) giveUp(shell)
  if (name === 'PATH') shell.found.hasOwnPrograms = true
  if (RUN_BY_OTHERS.test(name)) ask(values, shell)
  else askLater(values, shell)
}

/** A command in quotes that a prompt, an index or a test of a variable runs later. */
const LATER = /\$\(|`[^`]*[\s<][^`]*`/

/** Notes the files in words that may run later. */
export const askLater = (words: Values, shell: Shell): void =>
  ask(
    words.filter((word) => LATER.test(word ?? '')),
    shell,
  )

/** Notes words that a program may take for files. */
export function ask(words: Values, shell: Shell, into = shell.found.asked): void {
  for (const word of words) {
    if (word === undefined) continue
    for (const [mark, made] of shell.found.pipes) if (word.includes(mark)) ask(made, shell, into)
    for (const path of pathsIn(word)) {
      shell.budget.left -= COST
      if (into.size >= MOST_ASKED) return void giveUp(shell)
      for (const cwd of shell.scope.cwds) {
        const absolute = pathFrom(path, cwd)
        if (absolute === undefined) continue
        for (const one of [absolute, ...linkedTo(absolute, shell)]) into.add(one)
      }
    }
  }
}

const MOST_ASKED = 1000

/** Appends each option to each value. */
export function product(values: Values, options: Values, { budget, scope }: Shell): Values {
  const joined: Value[] = []
  for (const value of values) {
    for (const option of value === undefined ? UNKNOWN : options) {
      budget.left -= COST + (option?.length ?? 0)
      const isKnown = value !== undefined && option !== undefined && budget.left >= 0
      joined.push(isKnown ? value + option : undefined)
      if (joined.length > MOST_VALUES) return atMost(joined, scope)
    }
  }
  return joined
}
