import {
  execsOf,
  filesOf,
  filledIn,
  foundBy,
  listedBy,
  listOf,
  programOf,
  unwrapped,
  split,
  writtenBy,
  xargsOf,
  type Value,
} from './args.ts'
import { PACKERS, packedBy } from './archives.ts'
import { COUNTERS, READERS, type Reader, SHELLS, SILENT, WRITERS } from './commands.ts'
import { declare, enter, exportAll, print, read, readLines, shift, take, took, unset } from './builtins.ts'
import { wrappedWords } from './our-calls.ts'
import { echoed } from './printed.ts'
import { atMost, type Values } from './scope.ts'
import { isQuiet, leaksInPlace } from './quiet.ts'
import { askAll, LINKERS, noteTaken, rename, runGit, takeAlong } from './taken.ts'
import { ask, giveUp, isTooDeep, note, NOTHING, runText, type Shell, subshell, UNKNOWN } from './shell.ts'

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
  if (wrapping.length > 0)
    ask(
      wrapping.filter((word) => /\.md|\//.test(word ?? '')),
      shell,
    )
  if (program === undefined || mayCall(name, args)) shell.calls.areUnsure = true
  const own = wrappedWords(words)
  if (own.length > 0) shell.found.ours.push(own)
  if (HANDLERS.has(name)) ask(args, shell, shell.found.handled)
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

/** Programs that change what files are, or where whatever they unpack goes. */
const HANDLERS: ReadonlySet<string> = new Set([
  ...PACKERS,
  ...'chmod chown chgrp chattr setfacl unzip cpio rsync git mount umount'.split(' '),
])

/** The folder that a wrapper enters before it runs its command. */
function inFolderOf(wrapping: Values, shell: Shell): Shell {
  const at = wrapping.findIndex((word) => /^(-C|-D|--chdir)$/.test(word ?? ''))
  const folder =
    at === -1 ? wrapping.find((word) => word?.startsWith('--chdir=') === true)?.slice(8) : wrapping[at + 1]
  if (folder === undefined) return shell
  const inner = subshell(shell)
  enter([folder], inner)
  return inner
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
  ['set', (args, shell) => (args[0] === '--' ? took(args.slice(1), shell) : NOTHING)],
  ...DECLARERS.map((name) => [name, declare] as const),
  ['export', exportAll],
  ['eval', (args, shell) => runText(args.join(' '), shell)],
  ['xargs', forEach],
  ['git', runGit],
  [
    'dirname',
    (args) => args.map((arg) => (arg?.includes('/') === false ? '.' : arg?.replace(/\/[^/]*\/?$/, ''))),
  ],
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
  if (reader.copies !== undefined)
    for (const path of files)
      if (path?.endsWith('/*/*') === true) noteTaken(path.replace(/\*\/\*$/, '**/*'), shell)
  if (reader.runs === true) askScripts(args, { files, isShown, reader }, shell)
  // Bytes and counts make other words.
  const isChanged = reader.changes === true || args.some((arg) => /^(-c|--bytes|--count)/.test(arg ?? ''))
  if (files.length === 0) return isChanged ? changed(input) : (input ?? UNKNOWN)
  return isShown || reader.recursive === undefined ? UNKNOWN : files
}

/** A script can open files that are no operands, and one that edits in place can print as well. */
function askScripts(
  args: Values,
  { files, isShown, reader }: { readonly files: Values; readonly isShown: boolean; readonly reader: Reader },
  shell: Shell,
): void {
  const others = args.filter((arg) => !files.includes(arg))
  ask(
    others.filter((arg) => /\.md/i.test(arg ?? '')),
    shell,
  )
  const { options, operands } = split(args, reader.valued)
  const scripts = ['-e', '--expression', '-f'].flatMap((name) =>
    options.has(name) ? [options.get(name)] : [],
  )
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
  const values = atMost(foundBy(args), shell.scope)
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
