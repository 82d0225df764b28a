import { absolutePath } from '../text/path.ts'
import {
  type Budget,
  COST,
  execOf,
  filesOf,
  filledIn,
  foundBy,
  listedBy,
  programOf,
  unwrapped,
  type Value,
  writtenBy,
  xargsOf,
} from './args.ts'
import { KEYWORDS, OPENERS, READERS, type Reader, SHELLS, WRITERS } from './commands.ts'
import { type ShellToken, shellTokens, type WordPart } from './words.ts'

/** What a command does with files, as far as its text tells. */
export interface ShellFiles {
  readonly reads: ShellPaths
  /** What it makes, changes or removes. */
  readonly writes: ShellPaths
  /** Whether it runs a program that opens files by itself. */
  readonly opens: boolean
}

interface ShellPaths {
  /**
   * Absolute. One may hold a pattern of the shell, may lead through any number of folders (see `matchesBelow`), and
   * stands for a whole folder where a search goes through one.
   */
  readonly paths: readonly string[]
  /** Whether there is something whose name only running it would tell. */
  readonly isUnresolved: boolean
}

type How = 'reads' | 'writes'

/** What has been worked out of a command so far. */
interface Shell {
  cwd: string | undefined
  variables: Map<string, readonly Value[]>
  readonly home: string | undefined
  readonly found: Readonly<Record<How, { readonly paths: Set<string>; isUnresolved: boolean }>>
  readonly opened: { isTrue: boolean }
  readonly budget: Budget
  readonly depth: number
  /** What the command at hand is given through a pipe, as words; nothing where it is at no pipe. */
  input: readonly Value[] | undefined
  /** Whether the last command was a shell that takes its script from its input. */
  awaitsScript: boolean
}

const MOST_VALUES = 64
const MOST_VARIABLES = 100
const MOST_SUBSHELLS = 50
const DEEPEST = 8
/** A word that is longer names no files. */
const LONGEST_LIST = 4096
const UNKNOWN: readonly Value[] = [undefined]

/** The files that a shell command would show or change. What a program opens by itself (a script) cannot be known. */
export function shellFiles(command: string, cwd: string | undefined, home?: string): ShellFiles {
  const nothing = () => ({ paths: new Set<string>(), isUnresolved: false })
  const [reads, writes, opened] = [nothing(), nothing(), { isTrue: false }]
  const budget = { left: 100_000 + COST * command.length }
  const fresh = { variables: new Map(), input: undefined, awaitsScript: false, depth: 0 }
  run(shellTokens(command), { ...fresh, cwd, home, found: { reads, writes }, opened, budget })
  const listed = ({ paths, isUnresolved }: typeof reads) => ({ paths: [...paths], isUnresolved })
  return { reads: listed(reads), writes: listed(writes), opens: opened.isTrue }
}

/** Gives what the last of the commands prints, as far as that is known. */
function run(tokens: readonly ShellToken[], shell: Shell): readonly Value[] {
  const outer: Pick<Shell, 'cwd' | 'variables'>[] = []
  let words: (readonly Value[])[] = []
  let redirection: How | 'none' | undefined
  let isTest = false
  let output: readonly Value[] = UNKNOWN
  const finish = () => {
    if (words.length > 0) output = obey(words, shell).slice(0, MOST_VALUES)
    words = []
  }
  for (const token of tokens) {
    if (shell.budget.left < 0) return giveUp(shell)
    if (token.kind === 'document') {
      expand(token.parts, shell)
      if (shell.awaitsScript) runText(token.text, shell)
    } else if (token.kind === 'word') {
      const values = expand(token.parts, shell)
      if (redirection === undefined) words.push(values)
      else if (redirection !== 'none') for (const value of values) redirect(value, redirection, shell)
      redirection = undefined
      isTest = isTest ? values[0] !== ']]' : values[0] === '[[' && beginsTest(words)
    } else if (/[<>]/.test(token.text)) {
      redirection = isTest ? 'none' : REDIRECTIONS.get(token.text)
    } else {
      finish()
      const isPipe = token.text === '|' || token.text === '|&'
      // A subshell takes what its first command would.
      if (token.text !== '(') shell.input = isPipe ? output : undefined
      if (token.text === '(' && outer.length < MOST_SUBSHELLS)
        outer.push({ cwd: shell.cwd, variables: new Map(shell.variables) })
      if (token.text === ')') Object.assign(shell, outer.pop())
    }
  }
  finish()
  return output
}

/** Elsewhere the brackets are a word like any other, such as what `grep` looks for. */
const beginsTest = (words: readonly (readonly Value[])[]): boolean =>
  words.findIndex(([word = '']) => !KEYWORDS.has(word)) === words.length - 1

const REDIRECTIONS: ReadonlyMap<string, How | 'none'> = new Map([
  ...(['<', '<>'] as const).map((operator) => [operator, 'reads'] as const),
  ...(['>', '>>', '>|', '>&', '&>', '&>>'] as const).map((operator) => [operator, 'writes'] as const),
  ...(['<<<', '<&'] as const).map((operator) => [operator, 'none'] as const),
])

/** `2>&1` and `>&-` name no file, and neither does what goes to another command. */
function redirect(value: Value, how: How, shell: Shell): void {
  if (how === 'reads' || !/^(?:\d+|-)$/.test(value ?? '')) note(value, shell, how)
}

/** What much is made of by variables, patterns and substitutions is not read to its end. */
function giveUp({ found }: Shell): readonly Value[] {
  found.reads.isUnresolved = true
  found.writes.isUnresolved = true
  return UNKNOWN
}

/** One simple command: it changes what is known, or it reads. */
function obey(command: readonly (readonly Value[])[], shell: Shell): readonly Value[] {
  shell.awaitsScript = false
  const words = command.slice(command.findIndex((values) => !KEYWORDS.has(values[0] ?? '')))
  if (words[0]?.[0] === 'for') return assign({ name: words[1]?.[0], values: words.slice(3).flat() }, shell)
  const program = words.findIndex((values) => assignmentOf(values) === undefined)
  if (program !== -1) return perform(words.slice(program).flat(), shell)
  for (const values of words) assign(assignmentOf(values), shell)
  return UNKNOWN
}

interface Assignment {
  readonly name: Value
  readonly values: readonly Value[]
}

function assignmentOf(values: readonly Value[]): Assignment | undefined {
  const name = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(values[0] ?? '')?.[1]
  return name === undefined
    ? undefined
    : { name, values: values.map((value) => value?.slice(name.length + 1)) }
}

function assign(assignment: Assignment | undefined, shell: Shell): readonly Value[] {
  const { name, values = [] } = assignment ?? {}
  if (name !== undefined && (shell.variables.has(name) || shell.variables.size < MOST_VARIABLES))
    shell.variables.set(name, values.slice(0, MOST_VALUES))
  return UNKNOWN
}

/** Gives what the command prints: names of files that the next one may read, or nothing that is known. */
function perform(words: readonly Value[], shell: Shell): readonly Value[] {
  const [program, ...args] = unwrapped(words)
  const name = programOf(program) ?? ''
  const { input = UNKNOWN } = shell
  const writer = WRITERS.get(name)
  if (writer !== undefined) for (const path of writtenBy(args, writer)) note(path, shell, 'writes')
  const reader = READERS.get(name)
  if (reader !== undefined) return show(args, reader, shell)
  if (SHELLS.has(name)) return runShell(args, shell)
  switch (name) {
    case 'cd':
    case 'pushd':
      return enter(args, shell)
    case 'popd':
      return enter(UNKNOWN, shell)
    case 'pwd':
      return [shell.cwd]
    case 'echo':
      return args
    case 'printf':
      return args.slice(1)
    case 'ls':
      return listedBy(args)
    case 'tee':
    case 'tr':
      return input
    case 'read':
      for (const variable of args) assign({ name: variable, values: input }, shell)
      return UNKNOWN
    case 'eval':
      return runText(args.join(' '), shell)
    case 'xargs':
      return performInside(xargsOf(args, input, shell.budget), shell)
    case 'find':
      return find(args, shell)
    case 'dd':
      for (const arg of args)
        if (arg !== undefined && /^[io]f=/.test(arg))
          note(arg.slice(3), shell, arg.startsWith('o') ? 'writes' : 'reads')
      return UNKNOWN
    default:
      if (opens(name, args)) shell.opened.isTrue = true
      return UNKNOWN
  }
}

/** A program that passes on what it is given through a pipe, or shows files. */
function show(args: readonly Value[], reader: Reader, shell: Shell): readonly Value[] {
  const { input } = shell
  const { files, isShown } = filesOf(args, reader, input !== undefined)
  if (isShown) for (const path of files) note(path, shell, 'reads')
  if (files.length === 0) return input ?? UNKNOWN
  return isShown || reader.recursive === undefined ? UNKNOWN : files
}

const READING_GIT: ReadonlySet<Value> = new Set(['show', 'diff', 'log', 'blame', 'cat-file', 'grep'])

const opens = (name: string, args: readonly Value[]): boolean =>
  name === 'git' ? args.some((arg) => READING_GIT.has(arg)) : OPENERS.has(name.replace(/[\d.]+$/, ''))

/** A command inside of another, such as that of `xargs`; what it does to the shell stays there. */
function performInside(words: readonly Value[], shell: Shell): readonly Value[] {
  if (shell.depth >= DEEPEST) return UNKNOWN
  return perform(words, { ...shell, input: undefined, depth: shell.depth + 1 })
}

function find(args: readonly Value[], shell: Shell): readonly Value[] {
  const values = foundBy(args).slice(0, MOST_VALUES)
  const command = execOf(args)
  if (args.includes('-delete')) for (const value of values) note(value, shell, 'writes')
  if (command === undefined) return values
  return performInside(filledIn(command, { mark: '{}', values }, shell.budget), shell)
}

function enter(args: readonly Value[], shell: Shell): readonly Value[] {
  const folder = args.find((arg) => arg === undefined || arg === '-' || !arg.startsWith('-'))
  if (args.length === 0) shell.cwd = shell.home
  else shell.cwd = folder === undefined || folder === '-' ? undefined : absolutePath(folder, shell.cwd)
  return UNKNOWN
}

/** Its script is the word after `-c`, with parameters behind it, or whatever comes through the pipe. */
function runShell(args: readonly Value[], shell: Shell): readonly Value[] {
  const option = args.findIndex((arg) => /^-[a-z]*c$/.test(arg ?? ''))
  if (option !== -1) {
    const parameters = args.slice(option + 3)
    const variables = new Map(shell.variables).set('@', parameters).set('*', parameters)
    for (const [index, value] of parameters.slice(0, 9).entries()) variables.set(String(index + 1), [value])
    return runText(args[option + 1], { ...shell, variables })
  }
  if (args.some((arg) => arg === undefined || !arg.startsWith('-'))) return UNKNOWN
  shell.awaitsScript = true
  return shell.input === undefined ? UNKNOWN : runText(shell.input.join(' '), shell)
}

function runText(text: Value, shell: Shell): readonly Value[] {
  if (text === undefined || shell.depth >= DEEPEST) return UNKNOWN
  const variables = new Map(shell.variables)
  return run(shellTokens(text), { ...shell, variables, input: undefined, depth: shell.depth + 1 })
}

function note(path: Value, shell: Shell, how: How): void {
  const found = shell.found[how]
  shell.budget.left -= COST
  const absolute = path === undefined ? undefined : absolutePath(path, shell.cwd)
  if (absolute !== undefined) found.paths.add(absolute)
  else if (path !== '') found.isUnresolved = true
}

/** All that a word may stand for; commands inside of it are run on the way. */
function expand(parts: readonly WordPart[], shell: Shell): readonly Value[] {
  const [first] = parts
  if (parts.length === 1 && first?.kind === 'variable' && !first.quoted)
    return product([''], valuesOf(first, shell, true), shell).flatMap(
      (value) => value?.split(/\s+/) ?? [value],
    )
  let values: readonly Value[] = ['']
  for (const [index, part] of parts.entries())
    values = product(values, valuesOf(part, shell, index === 0), shell)
  return values
}

function product(values: readonly Value[], options: readonly Value[], shell: Shell): readonly Value[] {
  const joined: Value[] = []
  for (const value of values) {
    for (const option of value === undefined ? [undefined] : options) {
      shell.budget.left -= COST + (option?.length ?? 0)
      const isKnown = value !== undefined && option !== undefined && shell.budget.left >= 0
      joined.push(isKnown ? value + option : undefined)
      if (joined.length === MOST_VALUES) return joined
    }
  }
  return joined
}

function valuesOf(part: WordPart, shell: Shell, isFirst: boolean): readonly Value[] {
  switch (part.kind) {
    case 'text':
      return part.quoted ? [part.text] : braces(isFirst ? withHome(part.text, shell.home) : part.text)
    case 'variable':
      if (part.name === 'PWD') return [shell.cwd]
      return shell.variables.get(part.name) ?? [part.name === 'HOME' ? shell.home : undefined]
    case 'output': {
      const output = run(part.tokens, { ...shell, variables: new Map(shell.variables), input: undefined })
      return part.isFile ? ['-'] : output
    }
    case 'unknown':
      return [undefined]
  }
}

function withHome(text: string, home: string | undefined): Value {
  if (text !== '~' && !text.startsWith('~/')) return text
  return home === undefined ? undefined : home + text.slice(1)
}

/** `{a,b}` is each of them, a range is a pattern, and braces in braces stay as they are. */
function braces(text: Value): readonly Value[] {
  if (text === undefined || text.length > LONGEST_LIST || !text.includes('{')) return [text]
  let values: readonly string[] = ['']
  for (const piece of text.split(/(\{[^{}]*\})/)) {
    const inner = piece.startsWith('{') && piece.endsWith('}') ? piece.slice(1, -1) : undefined
    const isList = inner?.includes(',') === true && values.length < MOST_VALUES
    const options = isList ? inner.split(',') : [inner !== undefined && /,|\.\./.test(inner) ? '*' : piece]
    values = values.flatMap((value) => options.map((option) => value + option)).slice(0, MOST_VALUES)
  }
  return values
}
