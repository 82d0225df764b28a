import { absolutePath } from '../text/path.ts'
import {
  execOf,
  filesOf,
  filledIn,
  foundBy,
  listedBy,
  programOf,
  unwrapped,
  split,
  writtenBy,
  xargsOf,
  type Value,
} from './args.ts'
import { COUNTERS, OPENERS, READERS, READING_GIT, type Reader, SHELLS, SILENT, WRITERS } from './commands.ts'
import { echoed, formatted } from './printed.ts'
import { assignTo, atMost, type Values } from './scope.ts'
import { giveUp, isTooDeep, note, NOTHING, runText, type Shell, subshell, UNKNOWN } from './shell.ts'

/** Whether a command runs a shell, which inherits the assignments before it. */
export const runsShell = (words: Values): boolean => SHELLS.has(programOf(unwrapped(words)[0]) ?? '')

/** Whether a command shows nothing of its input. */
export const countsInput = (words: Values): boolean => COUNTERS.has(programOf(unwrapped(words)[0]) ?? '')

const ORDERED: ReadonlySet<string> = new Set([...SHELLS, ...'echo printf set'.split(' ')])

/** Whether it matters to a command which of its words comes first. */
export const isOrdered = (words: Values): boolean => ORDERED.has(programOf(unwrapped(words)[0]) ?? '')

/** Notes what a known program reads and writes, and gives what it prints, which the next one may read. */
export function perform(words: Values, shell: Shell): Values {
  const [program, ...args] = unwrapped(words)
  const name = programOf(program) ?? ''
  if (program === undefined || mayCall(name, args)) shell.calls.areUnsure = true
  const writer = WRITERS.get(name)
  if (writer !== undefined) for (const path of writtenBy(args, writer)) note(path, shell, 'writes')
  const reader = READERS.get(name)
  if (reader !== undefined) return show(args, reader, shell)
  if (SHELLS.has(name)) return runShell(args, shell)
  const builtin = BUILTINS.get(name)
  if (builtin !== undefined) return builtin(args, shell)
  if (program === undefined || opens(name, args)) shell.found.opens = true
  return SILENT.has(name) ? NOTHING : UNKNOWN
}

/** Whether it may call a function that its text does not name as a command. */
const mayCall = (name: string, args: Values): boolean =>
  CALLERS.has(name) ||
  ((name === 'eval' || SHELLS.has(name)) && args.includes(undefined)) ||
  (DECLARERS.includes(name) && args.some((arg) => /^-\w*f/.test(arg ?? '')))

const CALLERS: ReadonlySet<string> = new Set('. source trap mapfile readarray complete alias'.split(' '))
const DECLARERS = ['export', 'declare', 'typeset', 'local', 'readonly']

/** Programs whose arguments mean more than files. */
const BUILTINS: ReadonlyMap<string, (args: Values, shell: Shell) => Values> = new Map([
  ['cd', enter],
  ['pushd', enter],
  ['popd', (_, shell) => enter(UNKNOWN, shell)],
  ['pwd', (_, { scope }) => scope.cwds],
  ['echo', echoed],
  ['printf', print],
  ['ls', listedBy],
  ['tee', passOn],
  ['tr', (_, { input }) => changed(input)],
  ['shift', shift],
  ['unset', unset],
  ['read', read],
  ['mapfile', readLines],
  ['readarray', readLines],
  ['set', (args, shell) => (args[0] === '--' ? take(args.slice(1), shell) : NOTHING)],
  ...DECLARERS.map((name) => [name, declare] as const),
  ['eval', (args, shell) => runText(args.join(' '), shell)],
  ['xargs', (args, shell) => performInside(xargsOf(args, shell.input ?? UNKNOWN, shell.budget), shell)],
  ['find', find],
  ['trap', (args, shell) => runText(args[0]?.startsWith('-') === true ? '' : args[0], subshell(shell))],
  ['dd', copy],
])

function passOn(_: Values, { input }: Shell): Values {
  return input ?? UNKNOWN
}

/** Of what goes through a program that picks or changes, any word may be left, or something else. */
function changed(input: Values | undefined): Values {
  const words = (input ?? []).flatMap((value) => value?.split(/\s+/).filter((word) => word !== '') ?? [])
  return [...new Set([...(input ?? []), ...words, undefined])]
}

/** A program that passes on what it is given through a pipe, or shows files. */
function show(args: Values, reader: Reader, shell: Shell): Values {
  const { input } = shell
  const { files, isShown } = filesOf(args, reader, input !== undefined)
  if (isShown) for (const path of files) note(path, shell, 'reads')
  if (files.length === 0) return reader.changes === true ? changed(input) : (input ?? UNKNOWN)
  return isShown || reader.recursive === undefined ? UNKNOWN : files
}

const opens = (name: string, args: Values): boolean =>
  name === 'git' ? args.some((arg) => READING_GIT.has(arg ?? '')) : OPENERS.has(name.replace(/[\d.]+$/, ''))

/** Runs a command inside another, such as `xargs`; its changes to the shell stay there. */
function performInside(words: Values, shell: Shell): Values {
  if (isTooDeep(shell)) return giveUp(shell)
  return perform(words, { ...subshell(shell), input: undefined, depth: shell.depth + 1 })
}

function find(args: Values, shell: Shell): Values {
  const values = atMost(foundBy(args))
  const command = execOf(args)
  if (args.includes('-delete')) for (const value of values) note(value, shell, 'writes')
  if (command === undefined) return values
  return performInside(filledIn(command, { mark: '{}', values }, shell.budget), shell)
}

function copy(args: Values, shell: Shell): Values {
  for (const arg of args)
    if (arg !== undefined && /^[io]f=/.test(arg))
      note(arg.slice(3), shell, arg.startsWith('o') ? 'writes' : 'reads')
  return UNKNOWN
}

function enter(args: Values, { scope, home }: Shell): Values {
  const folder = args.find((arg) => arg === undefined || arg === '-' || !arg.startsWith('-'))
  if (args.length === 0) scope.cwds = [home]
  else if (folder === undefined || folder === '-') scope.cwds = UNKNOWN
  else scope.cwds = scope.cwds.map((cwd) => absolutePath(folder, cwd))
  return NOTHING
}

function print(args: Values, shell: Shell): Values {
  const [option, name, ...rest] = args
  if (option !== '-v') return formatted(option === '--' ? args.slice(1) : args)
  if (name !== undefined) assignTo(shell.scope, name, formatted(rest))
  return NOTHING
}

const NAME = /^[A-Za-z_]\w*$/

/** The parts of the input that are read one at a time. */
function linesOf({ input }: Shell, options: ReadonlyMap<string, Value>): Values {
  const end = options.has('-d') ? options.get('-d') : '\n'
  if (end === undefined || options.has('-n') || options.has('-N')) return UNKNOWN
  return (input ?? UNKNOWN).flatMap((value) => value?.split(end === '' ? '\0' : end))
}

const isName = (arg: Value): arg is string => arg !== undefined && NAME.test(arg)

/** A loop may read every line: each name gets one word of it, the last name the rest. */
function read(args: Values, shell: Shell): Values {
  const { options, operands } = split(args, 'adinNptu')
  const { scope, separators = scope.variables.get('IFS') ?? [BLANKS] } = shell
  const array = options.get('-a')
  const names = operands.filter(isName)
  const lines = linesOf(shell, options)
  if (array !== undefined)
    assignTo(
      scope,
      array,
      lines.flatMap((line) => fieldsOf(line, separators, MOST_FIELDS)),
    )
  const fields = lines.map((line) => fieldsOf(line, separators, names.length))
  for (const [at, name] of names.entries())
    assignTo(
      scope,
      name,
      fields.map((words) => (words[0] === undefined ? undefined : (words[at] ?? ''))),
    )
  return NOTHING
}

const BLANKS = ' \t\n'
const MOST_FIELDS = 64

/** The fields of a line, the last with the rest; unknown if the line or the separators are. */
function fieldsOf(line: Value, [separators, ...others]: Values, most: number): Values {
  if (line === undefined || separators === undefined || others.length > 0) return UNKNOWN
  const fields: string[] = []
  let rest = line.trim()
  while (fields.length < most - 1) {
    let end = 0
    while (end < rest.length && !separators.includes(rest[end] ?? '')) end++
    if (end === rest.length) break
    fields.push(rest.slice(0, end))
    rest = rest.slice(end + 1).trimStart()
  }
  return [...fields, rest]
}

function readLines(args: Values, shell: Shell): Values {
  const { options, operands } = split(args, 'cCdnOsu')
  // The number of lines that is given here leaves some out at most.
  options.delete('-n')
  for (const name of operands.filter(isName)) assignTo(shell.scope, name, linesOf(shell, options))
  return NOTHING
}

/** Handles quoted assignments after `export`; the parser handles the plain ones. */
function declare(args: Values, shell: Shell): Values {
  for (const arg of args) {
    const [, name, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(arg ?? '') ?? []
    if (name !== undefined && value !== undefined) assignTo(shell.scope, name, [value])
  }
  return NOTHING
}

/** Sets the parameters of a script: `$1` and so on. */
function take(parameters: Values, { scope }: Shell): Values {
  scope.variables.set('@', atMost(parameters)).set('*', atMost(parameters))
  for (const [index, value] of parameters.slice(0, 9).entries())
    scope.variables.set(String(index + 1), [value])
  return NOTHING
}

function shift(args: Values, shell: Shell): Values {
  const [count] = args.length === 0 ? ['1'] : args
  const { variables } = shell.scope
  const parameters = variables.get('@')
  if (parameters === undefined) return NOTHING
  for (const name of variables.keys()) if (/^[1-9]$/.test(name)) variables.delete(name)
  return take(count !== undefined && /^\d+$/.test(count) ? parameters.slice(Number(count)) : UNKNOWN, shell)
}

function unset(args: Values, { scope }: Shell): Values {
  if (args.includes('-f')) return NOTHING
  for (const name of args) if (isName(name) && scope.variables.has(name)) assignTo(scope, name, [''])
  return NOTHING
}

/** Its script is the word after `-c`, with parameters behind it, or whatever comes through the pipe. */
function runShell(args: Values, shell: Shell): Values {
  const inner = { ...subshell(shell), input: undefined }
  const option = args.findIndex((arg) => /^-[a-z]*c$/.test(arg ?? ''))
  if (option !== -1) {
    take(args.slice(option + 3), inner)
    return runText(args[option + 1], { ...inner, input: shell.input })
  }
  if (args.some((arg) => arg === undefined || !arg.startsWith('-'))) return UNKNOWN
  return shell.input === undefined ? UNKNOWN : runText(shell.input.join('\n'), inner)
}
