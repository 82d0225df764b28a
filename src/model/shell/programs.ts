import { absolutePath } from '../text/path.ts'
import {
  copied,
  execsOf,
  filesOf,
  filledIn,
  foundBy,
  listedBy,
  listOf,
  mayBeFolder,
  programOf,
  unwrapped,
  split,
  writtenBy,
  xargsOf,
  type Value,
} from './args.ts'
import { PACKERS, packedBy } from './archives.ts'
import { COUNTERS, READERS, type Reader, SHELLS, SILENT, WRITERS } from './commands.ts'
import { gitCall } from './git.ts'
import { echoed, formatted } from './printed.ts'
import { assignTo, atMost, type Values } from './scope.ts'
import { isQuiet, leaksInPlace } from './quiet.ts'
import { ask, giveUp, isTooDeep, link, note, NOTHING, runText, type Shell, subshell, UNKNOWN } from './shell.ts'

/** Whether a command runs a shell, which inherits the assignments before it. */
export const runsShell = (words: Values): boolean => SHELLS.has(programOf(unwrapped(words)[0]) ?? '')

/** Whether a command shows nothing of its input. */
export const countsInput = (words: Values): boolean => COUNTERS.has(programOf(unwrapped(words)[0]) ?? '')

const ORDERED: ReadonlySet<string> = new Set([...SHELLS, ...'echo printf set'.split(' ')])

/** Whether it matters to a command which of its words comes first. */
export const isOrdered = (words: Values): boolean => ORDERED.has(programOf(unwrapped(words)[0]) ?? '')

/** Notes what a known program reads and writes, and gives what it prints, which the next one may read. */
export function perform(words: Values, outer: Shell): Values {
  const rest = unwrapped(words)
  const wrapping = words.slice(0, words.length - rest.length)
  const shell = inFolderOf(wrapping, outer)
  const [program, ...args] = rest
  const name = programOf(program) ?? ''
  // A wrapper can get a whole command as an option, and variables for any program.
  if (wrapping.length > 0) ask(wrapping.filter((word) => /\.md|\//.test(word ?? '')), shell)
  if (program === undefined || mayCall(name, args)) shell.calls.areUnsure = true
  const writer = WRITERS.get(name)
  if (writer !== undefined) for (const path of writtenBy(args, writer)) note(path, shell, 'writes')
  if (LINKERS.has(name)) rename(name, args, shell)
  const reader = READERS.get(name)
  if (reader !== undefined) return show(args, reader, shell)
  if (SHELLS.has(name)) return runShell(args, shell)
  const builtin = BUILTINS.get(name)
  if (builtin !== undefined) return builtin(args, shell)
  if (PACKERS.has(name)) return takeAlong(packedBy(name, args), shell)
  if (!isQuiet(name, args)) askAll(rest, shell)
  return SILENT.has(name) ? NOTHING : UNKNOWN
}

/** The folder that a wrapper enters before it runs its command. */
function inFolderOf(wrapping: Values, shell: Shell): Shell {
  const at = wrapping.findIndex((word) => /^(-C|-D|--chdir)$/.test(word ?? ''))
  const folder = at === -1 ? wrapping.find((word) => word?.startsWith('--chdir=') === true)?.slice(8) : wrapping[at + 1]
  if (folder === undefined) return shell
  const inner = subshell(shell)
  enter([folder], inner)
  return inner
}

/** A program that nothing is known of may open what its words, its input and its environment name. */
function askAll(words: Values, shell: Shell): void {
  const { found, scope, input } = shell
  ask(words, shell)
  ask([...(input ?? []), ...(shell.given ?? [])], shell)
  for (const name of found.exported) ask(scope.variables.get(name) ?? [], shell)
}

/** Programs that give a file another name. */
const LINKERS: ReadonlySet<string> = new Set(['ln', 'link', 'mv', 'cp'])

function rename(name: string, args: Values, shell: Shell): void {
  const { options, operands } = split(args, 'tS')
  if (name === 'cp' && !['-l', '-s', '--link', '--symbolic-link'].some((option) => options.has(option))) return
  const into = options.get('-t') ?? options.get('--target-directory')
  const target = into ?? (operands.length > 1 ? operands.at(-1) : '.')
  const sources = into === undefined && operands.length > 1 ? operands.slice(0, -1) : operands
  const isSymbolic = name === 'ln' && (options.has('-s') || options.has('--symbolic'))
  for (const source of sources) {
    link(source, target, shell)
    // A symbolic link counts from its own folder.
    if (isSymbolic && source !== undefined && target?.includes('/') === true && !source.startsWith('/'))
      link(`${target.replace(/[^/]*$/, '')}${source}`, target, shell)
    // What is moved can be read there later.
    if (name === 'mv') for (const one of moved(source)) noteTaken(one, shell)
  }
}

const moved = (path: Value): Values => (path === undefined ? [] : mayBeFolder(path) ? [`${path}/**/*`] : [path])

function noteTaken(path: Value, { scope, found }: Shell): void {
  for (const cwd of scope.cwds) {
    const absolute = path === undefined ? undefined : absolutePath(path, cwd)
    if (absolute !== undefined) found.taken.add(absolute)
  }
}

/** Files and folders that are copied into something else. */
function takeAlong(sources: Values, shell: Shell): Values {
  for (const source of sources) {
    for (const path of copied(source)) note(path, shell, 'reads')
    if (mayBeFolder(source)) noteTaken(`${source}/**/*`, shell)
  }
  return UNKNOWN
}

/** Git shows files of the working tree and of its history. */
function runGit(args: Values, shell: Shell): Values {
  const call = gitCall(args)
  if (call === undefined) {
    askAll(args, shell)
    return UNKNOWN
  }
  const inner = subshell(shell)
  if (call.folder !== '.') enter([call.folder], inner)
  for (const path of call.shown) note(path, inner, 'reads')
  for (const path of call.fromRoot) for (const one of fromAnyRoot(path, inner)) note(one, inner, 'reads')
  takeAlong(call.copied, inner)
  if (call.moved.length > 1) rename('mv', call.moved, inner)
  return UNKNOWN
}

/** The root of the repository may be any folder above. */
const fromAnyRoot = (path: string, { scope }: Shell): Values =>
  scope.cwds.flatMap((cwd) => {
    const parts = cwd?.split('/') ?? []
    return parts.map((_, at) => `${parts.slice(0, parts.length - at).join('/')}/${path}`)
  })

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
  ['set', (args, shell) => (args[0] === '--' ? took(args.slice(1), shell) : NOTHING)],
  ...DECLARERS.map((name) => [name, declare] as const),
  ['export', exportAll],
  ['eval', (args, shell) => runText(args.join(' '), shell)],
  ['xargs', forEach],
  ['git', runGit],
  ['dirname', (args) => args.map((arg) => (arg?.includes('/') === false ? '.' : arg?.replace(/\/[^/]*\/?$/, '')))],
  ['realpath', (args) => split(args, '').operands],
  ['readlink', (args) => [...split(args, '').operands, undefined]],
  ['.', source],
  ['source', source],
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
  if (reader.copies !== undefined) for (const path of files) if (path?.endsWith('/*/*') === true) noteTaken(path.replace(/\*\/\*$/, '**/*'), shell)
  if (reader.runs === true) askScripts(args, { files, isShown, reader }, shell)
  if (files.length === 0) return reader.changes === true ? changed(input) : (input ?? UNKNOWN)
  return isShown || reader.recursive === undefined ? UNKNOWN : files
}

/** A script can open files that are no operands, and one that edits in place can print as well. */
function askScripts(
  args: Values,
  { files, isShown, reader }: { readonly files: Values; readonly isShown: boolean; readonly reader: Reader },
  shell: Shell,
): void {
  const others = args.filter((arg) => !files.includes(arg))
  ask(others.filter((arg) => /\.md/i.test(arg ?? '')), shell)
  const { options, operands } = split(args, reader.valued)
  const scripts = ['-e', '--expression', '-f'].flatMap((name) => (options.has(name) ? [options.get(name)] : []))
  if (!isShown && (scripts.length > 0 ? scripts : operands.slice(0, 1)).some(leaksInPlace)) ask(files, shell)
}

function forEach(args: Values, shell: Shell): Values {
  const lists = listOf(args)
  for (const list of lists) note(list, shell, 'reads')
  const input = lists.length > 0 ? UNKNOWN : (shell.input ?? UNKNOWN)
  return performInside(xargsOf(args, input, shell.budget), shell)
}

/** Runs a command inside another, such as `xargs`; its changes to the shell stay there. */
function performInside(words: Values, shell: Shell): Values {
  if (isTooDeep(shell)) return giveUp(shell)
  return perform(words, { ...subshell(shell), input: undefined, depth: shell.depth + 1 })
}

function find(args: Values, shell: Shell): Values {
  const values = atMost(foundBy(args))
  const commands = execsOf(args)
  if (args.includes('-delete')) for (const value of values) note(value, shell, 'writes')
  if (commands.length === 0) return values
  return commands.flatMap((command) =>
    performInside(filledIn(command, { mark: '{}', values }, shell.budget), shell),
  )
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

function exportAll(args: Values, shell: Shell): Values {
  for (const name of args.map((arg) => arg?.split('=')[0])) if (isName(name)) shell.found.exported.add(name)
  return declare(args, shell)
}

/** Sets the parameters of a script or function, `$1` and so on, and returns their names. */
export function take(parameters: Values, { scope: { variables } }: Shell): readonly string[] {
  variables.set('@', atMost(parameters)).set('*', atMost(parameters))
  const names = parameters.slice(0, 9).map((_, index) => String(index + 1))
  for (const [index, name] of names.entries()) variables.set(name, [parameters[index]])
  return ['@', '*', ...names]
}

function took(parameters: Values, shell: Shell): Values {
  take(parameters, shell)
  return NOTHING
}

function shift(args: Values, shell: Shell): Values {
  const [count] = args.length === 0 ? ['1'] : args
  const { variables } = shell.scope
  const parameters = variables.get('@')
  if (parameters === undefined) return NOTHING
  for (const name of variables.keys()) if (/^[1-9]$/.test(name)) variables.delete(name)
  return took(count !== undefined && /^\d+$/.test(count) ? parameters.slice(Number(count)) : UNKNOWN, shell)
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
    inner.scope.variables.set('0', args.slice(option + 2, option + 3))
    return runText(args[option + 1], { ...inner, input: shell.input })
  }
  const script = args.find((arg) => arg === undefined || !arg.startsWith('-') || shell.found.pipes.has(arg))
  if (script !== undefined || args.includes(undefined)) return runFile(script, args, shell)
  return shell.input === undefined ? UNKNOWN : runText(shell.input.join('\n'), inner)
}

const OWN_INPUT = /^\/dev\/(stdin|fd\/0)$|^-$/

/** A script in a file may contain anything; one that the command itself makes is known. */
function runFile(script: Value, args: Values, shell: Shell): Values {
  const text = OWN_INPUT.test(script ?? '') ? shell.input : shell.found.pipes.get(script ?? '')
  if (text !== undefined) return runText(text.join('\n'), { ...shell, input: undefined })
  askAll(args, shell)
  return UNKNOWN
}

function source(args: Values, shell: Shell): Values {
  return runFile(args[0], args, shell)
}
