import { absolutePath } from './path.ts'
import { KEYWORDS, READERS, type Reader, SHELLS, WRAPPERS } from './shell-commands.ts'
import { type ShellToken, shellTokens, type WordPart } from './shell-words.ts'

/** What a word stands for; nothing where only running it would tell. */
type Value = string | undefined

/** What has been worked out of a command so far. */
interface Shell {
  cwd: string | undefined
  variables: Map<string, readonly Value[]>
  readonly home: string | undefined
  readonly found: Set<string>
  /** What may still be worked out: variables and braces can make much of little. */
  readonly budget: { left: number }
  readonly depth: number
  /** Whether the command at hand reads from a pipe. */
  isPiped: boolean
}

const MOST_VALUES = 64
const MOST_VARIABLES = 100
const MOST_SUBSHELLS = 50
const DEEPEST = 8
/** A word that is longer names no files. */
const LONGEST_LIST = 4096
/** What a value costs besides its length. */
const COST = 16

/**
 * The files that a shell command would show, as absolute paths. A path may hold a pattern of the shell (see
 * `matchesGlob`), and stands for a whole folder where a search goes through one. What a program opens by itself
 * (a script, an interpreter) cannot be known.
 */
export function readsOf(command: string, cwd: string | undefined, home?: string): readonly string[] {
  const found = new Set<string>()
  const budget = { left: 100_000 + 2 * COST * command.length }
  run(shellTokens(command), { cwd, home, variables: new Map(), found, budget, depth: 0, isPiped: false })
  return [...found]
}

function run(tokens: readonly ShellToken[], shell: Shell): void {
  const outer: { cwd: string | undefined; variables: Map<string, readonly Value[]> }[] = []
  let words: (readonly Value[])[] = []
  let redirection: string | undefined
  const finish = () => {
    obey(words, shell)
    words = []
  }
  for (const token of tokens) {
    if (token.kind === 'document') {
      expand(token.parts, shell)
    } else if (token.kind === 'word') {
      const values = expand(token.parts, shell)
      if (redirection === undefined) words.push(values)
      else if (redirection === 'read') for (const value of values) note(value, shell)
      redirection = undefined
    } else if (/[<>]/.test(token.text)) {
      const isComparison = words[0]?.[0] === '[['
      redirection = !isComparison && (token.text === '<' || token.text === '<>') ? 'read' : 'other'
    } else {
      finish()
      shell.isPiped = token.text.startsWith('|') && token.text !== '||'
      if (token.text === '(' && outer.length < MOST_SUBSHELLS)
        outer.push({ cwd: shell.cwd, variables: new Map(shell.variables) })
      if (token.text === ')') Object.assign(shell, outer.pop())
    }
  }
  finish()
}

/** One simple command: it changes what is known, or it reads. */
function obey(command: readonly (readonly Value[])[], shell: Shell): void {
  const words = command.slice(command.findIndex((values) => !KEYWORDS.has(values[0] ?? '')))
  if (words[0]?.[0] === 'for') return assign({ name: words[1]?.[0], values: words.slice(3).flat() }, shell)
  const program = words.findIndex((values) => assignmentOf(values) === undefined)
  if (program !== -1) return perform(words.slice(program).flat(), shell)
  for (const values of words) assign(assignmentOf(values), shell)
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

function assign(assignment: Assignment | undefined, shell: Shell): void {
  const { name, values = [] } = assignment ?? {}
  if (name !== undefined && (shell.variables.has(name) || shell.variables.size < MOST_VARIABLES))
    shell.variables.set(name, values.slice(0, MOST_VALUES))
}

function perform(words: readonly Value[], shell: Shell): void {
  const [program, ...args] = unwrapped(words)
  const name = programOf(program)
  if (name === undefined) return
  if (name === 'cd' || name === 'pushd') return enter(args, shell)
  if (name === 'eval') return runText(args.join(' '), shell)
  if (SHELLS.has(name)) {
    const option = args.findIndex((arg) => /^-[a-z]*c$/.test(arg ?? ''))
    return option === -1 ? undefined : runText(args[option + 1], { ...shell })
  }
  if (name === 'find') return findAndShow(args, shell)
  if (name === 'dd') return args.forEach((arg) => arg?.startsWith('if=') && note(arg.slice(3), shell))
  const reader = READERS.get(name)
  if (reader !== undefined) for (const path of filesOf(args, reader, shell.isPiped)) note(path, shell)
}

const programOf = (word: Value): Value => word?.slice(word.lastIndexOf('/') + 1)

/** Without the programs that only run another one, their options and the assignments that `env` takes. */
function unwrapped(words: readonly Value[]): readonly Value[] {
  let at = 0
  for (let wrapper = wrapperAt(words, at); wrapper !== undefined; wrapper = wrapperAt(words, at)) {
    for (at++; at < words.length; at++) {
      const word = words[at] ?? ''
      if (word.startsWith('-')) at += takesNext(word, wrapper.valued) ? 1 : 0
      else if (!/^\w+=/.test(word)) break
    }
    at += wrapper.skip
  }
  return words.slice(at)
}

const wrapperAt = (words: readonly Value[], at: number) => WRAPPERS.get(programOf(words[at]) ?? '')

/** Whether the value of an option is the next word: it is not where more letters follow, as in `-n5`. */
function takesNext(option: string, valued: string): boolean {
  if (option.startsWith('--')) return false
  for (let at = 1; at < option.length; at++)
    if (valued.includes(option[at] ?? ' ')) return at === option.length - 1
  return false
}

function enter(args: readonly Value[], shell: Shell): void {
  const folder = args.find((arg) => arg === undefined || arg === '-' || !arg.startsWith('-'))
  if (args.length === 0) shell.cwd = shell.home
  else shell.cwd = folder === undefined || folder === '-' ? undefined : absolutePath(folder, shell.cwd)
}

function runText(text: Value, shell: Shell): void {
  if (text === undefined || shell.depth >= DEEPEST) return
  const inner = { ...shell, variables: new Map(shell.variables), depth: shell.depth + 1 }
  run(shellTokens(text), inner)
}

function findAndShow(args: readonly Value[], shell: Shell): void {
  const action = args.findIndex((arg) => /^-(exec|execdir|ok|okdir)$/.test(arg ?? ''))
  if (action === -1 || !READERS.has(programOf(args[action + 1]) ?? '')) return
  const end = args.findIndex((arg) => arg === undefined || /^[-(!]/.test(arg))
  for (const root of end === 0 ? ['.'] : args.slice(0, end)) note(root, shell)
}

function filesOf(args: readonly Value[], reader: Reader, isPiped: boolean): readonly Value[] {
  const { options, operands } = split(args, reader.valued)
  const has = (names: readonly string[] | undefined) => names?.some((name) => options.has(name)) === true
  if (has(reader.silent)) return []
  const files = reader.pattern === undefined || has(reader.pattern) ? operands : operands.slice(1)
  if (reader.writesLast === true) return files.slice(0, -1)
  if (files.length > 0) return files
  const isSearch = reader.recursive === 'always' ? !isPiped : has(reader.recursive)
  return isSearch ? ['.'] : []
}

function split(args: readonly Value[], valued: string) {
  const options = new Set<string>()
  const operands: Value[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]
    if (arg === '--') return { options, operands: [...operands, ...args.slice(at + 1)] }
    if (arg === undefined || !/^[-+]/.test(arg)) operands.push(arg)
    else if (arg.startsWith('--')) options.add(arg.split('=')[0] ?? arg)
    else if (arg.startsWith('-')) {
      for (const letter of arg.slice(1)) {
        options.add(`-${letter}`)
        if (valued.includes(letter)) break
      }
      if (takesNext(arg, valued)) at++
    }
  }
  return { options, operands }
}

function note(path: Value, shell: Shell): void {
  const absolute = path === undefined ? undefined : absolutePath(path, shell.cwd)
  if (absolute !== undefined) shell.found.add(absolute)
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
    case 'output':
      run(part.tokens, { ...shell, variables: new Map(shell.variables) })
      return [isPwd(part.tokens) ? shell.cwd : undefined]
    case 'unknown':
      return [undefined]
  }
}

function isPwd([token, ...rest]: readonly ShellToken[]): boolean {
  const part = token?.kind === 'word' && token.parts.length === 1 ? token.parts[0] : undefined
  return rest.length === 0 && part?.kind === 'text' && part.text === 'pwd'
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
