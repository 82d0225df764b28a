import { absolutePath } from '../text/path.ts'
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
import {
  choose,
  compute,
  declare,
  enter,
  exportAll,
  fix,
  leave,
  nameProgram,
  print,
  push,
  read,
  readLines,
  readOptions,
  setUp,
  shift,
  unset,
} from './builtins.ts'
import { askMade, keepMade, madeText } from './made.ts'
import { keepsFiles } from './git.ts'
import { evaluate, runInput, runShell, source } from './scripts.ts'
import { wordsAfterOurs, wrappedWords } from './our-calls.ts'
import { echoed } from './printed.ts'
import { atMost, type Values } from './scope.ts'
import { isQuiet, leaksInPlace, readsScript } from './quiet.ts'
import { askAll, keepBackups, LINKERS, noteTaken, rename, runGit, takeAlong } from './taken.ts'
import {
  ask,
  askLater,
  giveUp,
  isTooDeep,
  note,
  noteCopied,
  NOTHING,
  runText,
  type Shell,
  subshell,
  UNKNOWN,
} from './shell.ts'

/** Whether a command runs a shell, which inherits the assignments before it. */
export const runsShell = (words: Values): boolean => SHELLS.has(programOf(unwrapped(words)[0]) ?? '')

/** Whether a command runs text in this very shell. */
export const runsHere = (words: Values): boolean => HERE.has(programOf(unwrapped(words)[0]) ?? '')

const HERE: ReadonlySet<string> = new Set(['eval', '.', 'source'])

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
  const name = knownProgram(program, shell) ?? ''
  // A wrapper can get a whole command as an option, and variables for any program.
  if (wrapping.length > 0)
    ask(
      wrapping.filter((word) => /\.md|\//.test(word ?? '')),
      shell,
    )
  // Without a program, what a shell is given here stays open for the next one.
  if (program === undefined) ask(shell.input ?? [], shell)
  if (shell.found.hasOwnPrograms && !BUILTIN.has(name)) askAll(rest, shell)
  if (TARGETS.has(name)) askLater(args, shell)
  if (program === undefined || mayCall(name, args)) shell.calls.areUnsure = true
  const own = wrappedWords(words)
  if (own.length > 0) shell.found.ours.push(own)
  if (HANDLERS.has(name)) ask(args, shell, shell.found.handled)
  if (HANDLERS.has(name) && !(name === 'git' && keepsFiles(args))) ask(args, shell, shell.found.changed)
  const writer = WRITERS.get(name)
  const written = writer === undefined ? [] : writtenBy(args, writer)
  for (const path of written) note(path, shell, 'writes')
  if (shell.input !== undefined) keepMade(written, shell.input, shell)
  if (IN_PLACE.test(name)) keepBackups(args, written, shell)
  if (LINKERS.has(name)) rename(name, args, shell)
  const reader = READERS.get(name)
  if (reader !== undefined) return show(args, reader, shell)
  if (SHELLS.has(name)) return runShell(args, shell)
  const builtin = BUILTINS.get(name)
  if (builtin !== undefined) return builtin(args, shell)
  if (PACKERS.has(name)) {
    // Options of theirs run programs and read lists of names.
    if (args.some((arg) => RUNNING.test(arg ?? '')) || /^[a-z]*[FIT]/.test(args[0] ?? '')) askAll(args, shell)
    return takeAlong(packedBy(name, args), shell)
  }
  if (!isQuiet(name, args)) {
    askAll(rest, shell)
    askMade(rest, shell)
    const inside = wordsAfterOurs(args)
    if (inside.length > 0) shell.found.ours.push(inside)
    if (readsScript(name, args)) runInput(shell)
  }
  if (NAMING.has(name) && !args.some((arg) => NUMBERS.test(arg ?? '')))
    return [...split(args, '').operands, undefined]
  return SILENT.has(name) ? NOTHING : UNKNOWN
}

/** Programs that print the names that they are given beside what they say of them. */
const NAMING: ReadonlySet<string> = new Set([...COUNTERS, ...'stat file du dir vdir'.split(' ')])
/** A format of `stat` that has no name in it. */
const NUMBERS = /^(?:-c|--format=|--printf=)?(?:%[^nN%]+)+$/

/** Programs that change what files are, or where whatever they unpack goes. */
const HANDLERS: ReadonlySet<string> = new Set([
  ...PACKERS,
  ...'chmod chown chgrp chattr setfacl unzip cpio rsync git mount umount'.split(' '),
])

/** Where only the user installs programs; the packages of a project count as his. */
const INSTALLED = /^(?:\/(?:usr\/|usr\/local\/|opt\/homebrew\/)?s?bin|(?:.*\/)?node_modules\/\.bin)\/+[^/]+$/

/** The name of a program; one in another folder may be anything. */
function knownProgram(program: Value, { ours }: Shell): Value {
  if (program?.includes('/') !== true) return program
  const path = absolutePath(program, undefined) ?? program
  return INSTALLED.test(path) || path === `${ours}/bin/holdfast` ? programOf(path) : undefined
}

/** Programs that are the shell itself. */
const BUILTIN: ReadonlySet<string> = new Set(
  'cd pushd popd pwd echo printf set unset shift read mapfile readarray export declare typeset local readonly eval trap return exit getopts let shopt hash alias test [ : true false'.split(
    ' ',
  ),
)

/** Builtins that work out an index in the names that they are given. */
const TARGETS: ReadonlySet<string> = new Set(
  'test [ printf read unset declare typeset local export'.split(' '),
)

/** Programs that edit files in place. */
const IN_PLACE = /^(?:g?sed|perl|ruby)$/

/** The folder and the variables that a wrapper gives to its command. */
function inFolderOf(wrapping: Values, outer: Shell): Shell {
  const given = wrapping.filter((word) => /^[A-Za-z_]\w*=/.test(word ?? ''))
  const shell = given.length === 0 ? outer : subshell(outer)
  if (given.length > 0) exportAll(given, shell)
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
  ['pushd', push],
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
  ['set', setUp],
  ...DECLARERS.map((name) => [name, declare] as const),
  ['export', exportAll],
  ['readonly', fix],
  ['eval', evaluate],
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
  ['trap', (args, shell) => runText(args[0] === '--' ? args[1] : args[0], subshell(shell))],
  ['return', leave],
  ['getopts', readOptions],
  ['let', compute],
  ['shopt', choose],
  ['hash', nameProgram],
  ['alias', nameProgram],
  ['dd', copy],
])

/** Options of programs that pack files, with which they run others or get names through a pipe. */
const RUNNING =
  /^-(?:I|@|TT|F|\w*T)$|^--(?:files-from|checkpoint-action|use-compress|to-command|info-script|rsh|unzip)/

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
  for (const path of isShown ? files : [])
    if (reader.copies === undefined) note(path, shell, 'reads')
    else noteCopied(path, shell)
  // Its options can name files too.
  if (isShown && reader.copies === undefined)
    ask(
      args.filter((arg) => !files.includes(arg) && /\.md|^--?\w[\w-]*=/i.test(arg ?? '')),
      shell,
    )
  // A program that copies to elsewhere can be given another one to do it with.
  if (reader.copies !== undefined)
    ask(
      args.filter((arg) => !files.includes(arg) && /\S\s+\S/.test(arg ?? '')),
      shell,
    )
  if (reader.copies !== undefined)
    for (const path of files)
      if (path?.endsWith('/*/*') === true) noteTaken(path.replace(/\*\/\*$/, '**/*'), shell)
  if (reader.runs === true) askScripts(args, { files, isShown, reader }, shell)
  if (args.some((arg) => LISTED.test(arg ?? ''))) readListed(args, shell)
  // Bytes and counts make other words.
  const isChanged = reader.changes === true || args.some((arg) => /^(-c|--bytes|--count)/.test(arg ?? ''))
  const made = args.flatMap((arg) => shell.found.pipes.get(arg ?? '') ?? [])
  if (made.length > 0) return [...changed(made), ...(input ?? [])]
  if (files.length === 0) return isChanged ? changed(input) : (input ?? UNKNOWN)
  // A search prints the names of files below those that it is given.
  return isShown || reader.recursive === undefined ? UNKNOWN : [...files, undefined]
}

/** An option that names a file, or the input, with names of files to show. */
const LISTED = /^--files0?-from/

function readListed(args: Values, shell: Shell): void {
  askAll(args, shell)
  askMade(args, shell)
  note(undefined, shell, 'reads')
}

/** A script can open files that are no operands, and one that edits in place can print as well. */
function askScripts(
  args: Values,
  { files, isShown, reader }: { readonly files: Values; readonly isShown: boolean; readonly reader: Reader },
  shell: Shell,
): void {
  // Editors take commands behind a plus sign.
  const others = args.filter((arg) => !files.includes(arg) || arg?.startsWith('+') === true)
  ask(
    others.filter((arg) => shell.found.pipes.has(arg ?? '') || /\.md/i.test(arg ?? '')),
    shell,
  )
  const { every, operands } = split(args, reader.valued)
  const given = every.filter(([name]) => reader.pattern?.includes(name) === true).map(([, value]) => value)
  const scripts = given.length > 0 ? given : operands.slice(0, 1)
  const leaks = reader.silent !== undefined && scripts.some(leaksInPlace)
  if (!isShown && leaks) ask(files, shell)
  askMade(given, shell)
  // What it reads may be commands, or names of files that it opens.
  const isEditor = reader.pattern === undefined
  if (isEditor || leaks || scripts.some((script) => RUNS.test(script ?? '')))
    askAll(isEditor ? [] : others, shell)
}

/** Words of a script that run a command, open a file, or read more of the script. */
const RUNS = /\b(?:system|getline|ENVIRON)\b|\|&?\s*"|^\/dev\/(?:stdin|fd)/

function forEach(args: Values, shell: Shell): Values {
  const lists = listOf(args)
  for (const list of lists) note(list, shell, 'reads')
  const listed = lists.flatMap((list) => madeText(list, shell) ?? UNKNOWN)
  const input = lists.length > 0 ? listed : (shell.input ?? UNKNOWN)
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
  // Other parts of a name can be printed than the whole.
  if (commands.length === 0) return args.some((arg) => arg === '-printf') ? [...values, undefined] : values
  return commands.flatMap(({ words, isElsewhere }) => {
    const filled = filledIn(words, { mark: '{}', values }, shell.budget)
    // It runs in the folder of each file, which nobody knows.
    if (isElsewhere) performInside(filled, { ...shell, scope: { ...shell.scope, cwds: UNKNOWN } })
    return performInside(filled, shell)
  })
}

function copy(args: Values, shell: Shell): Values {
  for (const arg of args)
    if (arg !== undefined && /^[io]f=/.test(arg))
      note(arg.slice(3), shell, arg.startsWith('o') ? 'writes' : 'reads')
  const target = args.find((arg) => arg?.startsWith('of=') === true)
  if (shell.input !== undefined) keepMade([target?.slice(3)], shell.input, shell)
  return args.some((arg) => arg === undefined || arg.startsWith('if=')) ? UNKNOWN : (shell.input ?? UNKNOWN)
}
