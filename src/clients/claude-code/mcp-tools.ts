import type { ToolAction, Touch } from '../../model/event.ts'
import { keptText } from '../../model/text/kept.ts'
import { pickedBy } from '../../model/text/file-types.ts'
import { pathOfAddress } from '../../model/text/path.ts'
import { shellWord } from '../../model/shell/word.ts'
import { type Fields, isFields, listOf, pathOf } from './fields.ts'
import { givenTo, wordsIn } from './given-words.ts'

/** Reads from the input of a call what the call does. */
export type Reading = (input: Fields, cwd: string | undefined) => ToolAction

/** An action that Holdfast does not handle. */
export const OTHER: ToolAction = { kind: 'other' }

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const SHELL = words('shell bash exec execute run command terminal process')
const MOVE = words('move rename mv')
const COPY = words('copy cp duplicate archive zip tar compress pack')
const SOURCES = words(
  'source sources src from input inputs template include includes import imports attach attachment attachments base',
)
const GLOBS = words('glob globs include includes')
const SEARCH = words('search grep ripgrep rg')
const TEXTS = words('grep ripgrep rg content contents text pattern code')
const HOW: readonly (readonly [Touch['how'], ReadonlySet<string>])[] = [
  [
    'write',
    words(
      'write edit create append insert replace update modify patch move rename delete remove save put set',
    ),
  ],
  ['list', words('list ls search find glob tree directory directories folder dir info stat')],
  ['read', words('read get view cat open load fetch show head tail navigate')],
]
const PATHS = words(
  'path paths file files filepath filename filenames uri uris url urls source destination document documents',
)
const REVISIONS = words('revision object')

/** MCP servers choose their own tool names, so we look for words in names and fields. */
export function mcpTool(name: string): Reading | undefined {
  const ends = name.indexOf('__', 'mcp__'.length)
  const named = wordsOf(name.slice(ends + 2))
  const is = (verbs: ReadonlySet<string>) => named.some((word) => verbs.has(word))
  // A server that is named for its program searches as the program does.
  const isOfTexts = is(TEXTS) || wordsOf(name.slice(0, ends)).some((word) => SEARCH.has(word))
  if (is(SEARCH) && isOfTexts)
    return (input, cwd) => files([...pathsIn(input, cwd), ...pickedIn(input, cwd)], 'read', cwd)
  // A copy shows what it takes.
  if (is(COPY)) return (input, cwd) => both(pathsIn(input, undefined), cwd)
  const how = HOW.find(([, verbs]) => is(verbs))?.[0]
  const isSearch = is(SEARCH) || named.includes('find')
  return (input, cwd) => {
    if (isRemote(input)) return OTHER
    const paths = pathsIn(input, undefined)
    const touched = how === undefined ? OTHER : files(paths, isSearch ? howSearched(paths) : how, cwd)
    if (is(MOVE) && touched.kind === 'files') return moving(touched)
    if (how === 'write') return withSources(touched, input, cwd)
    const found = touched.kind === 'other' && is(SHELL) ? command(input, cwd) : touched
    return found.kind === 'other' && (how ?? 'read') === 'read' ? givenTo(name, input) : found
  }
}

/** The files that a search picks by their names. */
const pickedIn = (input: Fields, cwd: string | undefined): readonly string[] =>
  fieldsNamed(input, GLOBS).flatMap((glob) => (typeof glob === 'string' ? pickedBy(cwd, glob) : []))

/** What is made of a file shows it; of several fields with files, any may be what it is made of. */
function withSources(touched: ToolAction, input: Fields, cwd: string | undefined): ToolAction {
  const isOne = Object.keys(input).filter((field) => isNamed(field, PATHS)).length < 2
  const made = fieldsNamed(input, SOURCES)
  const sources = files(isOne ? made : [...pathsIn(input, undefined), ...made], 'read', cwd)
  if (sources.kind !== 'files') return touched
  const others = touched.kind === 'files' ? touched.touches : []
  return { kind: 'files', touches: [...others, ...sources.touches] }
}

const isNamed = (field: string, names: ReadonlySet<string>): boolean =>
  wordsOf(field).some((word) => names.has(word))

const fieldsNamed = (input: Fields, names: ReadonlySet<string>): readonly unknown[] =>
  Object.entries(input).flatMap(([field, value]) => (isNamed(field, names) ? listOrOne(value) : []))

/** A search in a single file shows lines of it. */
const howSearched = (paths: readonly unknown[]): Touch['how'] =>
  paths.some((path) => typeof path === 'string' && /\.md$/i.test(path)) ? 'read' : 'list'

/** A move gives its file another name, as that of a shell does. */
function moving(touched: ToolAction & { kind: 'files' }): ToolAction {
  const paths = touched.touches.map(({ path }) => shellWord(path))
  return paths.length > 1 ? { kind: 'command', command: `mv -- ${paths.join(' ')}` } : touched
}

function both(paths: readonly unknown[], cwd: string | undefined): ToolAction {
  const [read, written] = [files(paths, 'read', cwd), files(paths, 'write', cwd)]
  return read.kind === 'files' && written.kind === 'files'
    ? { kind: 'files', touches: [...read.touches, ...written.touches] }
    : OTHER
}

const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)

/** A path in a remote repository is not a local file. */
const isRemote = (input: Fields): boolean =>
  typeof input['repo'] === 'string' && typeof input['owner'] === 'string'

/** All paths in the fields, in lists, and in lists of objects; else the fallback. */
function pathsIn(input: Fields, fallback: string | undefined): readonly unknown[] {
  if (isRemote(input)) return []
  const found = pathFields(input).flatMap((one) => (isFields(one) ? pathFields(one) : [one]))
  return found.length === 0 ? [fallback] : found
}

const pathFields = (fields: Fields): readonly unknown[] =>
  Object.entries(fields).flatMap(([field, value]) => {
    const named = wordsOf(field)
    if (named.some((word) => REVISIONS.has(word))) return listOrOne(value).map(pathInRevision)
    return named.some((word) => PATHS.has(word)) ? listOrOne(value) : []
  })

/** The file of `HEAD:PATH`. */
const pathInRevision = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^[^/:]+:/, '') : value

const listOrOne = (value: unknown): readonly unknown[] => (Array.isArray(value) ? listOf(value) : [value])

/** A command with its own folder becomes `cd FOLDER && COMMAND`. */
const command: Reading = (input) => {
  const { code } = input
  const given = ['command', 'cmd', 'script', 'program', 'executable', 'argv', 'input'].find(
    (name) => input[name] !== undefined,
  )
  const text =
    lineOf(input[given ?? ''], [input['args'], given === 'argv' ? [] : input['argv'], input['arguments']]) ??
    // Code of any language may show the files that it names, as that of an interpreter does.
    (typeof code === 'string' ? `python3 -c ${shellWord(code)}` : undefined)
  if (text === undefined) return OTHER
  const folder = input['cwd'] ?? input['workdir'] ?? input['working_directory']
  const first = typeof folder === 'string' && folder !== '' ? `cd ${shellWord(folder)} && ` : ''
  return { kind: 'command', command: keptText(first + text, Infinity) }
}

/** The line of a program with arguments; a list is made of whole words. */
function lineOf(program: unknown, args: readonly unknown[]): string | undefined {
  const quoted = (value: unknown) => wordsIn(value).map(shellWord)
  const first = typeof program === 'string' ? [program] : quoted(listOf(program))
  return first.length === 0 ? undefined : [...first, ...args.flatMap(quoted)].join(' ')
}

/** The touches of the files at these paths or addresses. */
export function files(
  paths: readonly unknown[],
  how: Touch['how'],
  cwd: string | undefined,
  isSearch = false,
): ToolAction {
  const touches = paths.flatMap((given): Touch[] => {
    const path = typeof given === 'string' && given.includes('://') ? pathOfAddress(given) : given
    // The client leaves out blanks around a path.
    const absolute = pathOf(typeof path === 'string' ? path.trim() : path, cwd)
    return absolute === undefined
      ? []
      : [{ path: absolute, how, ...(isSearch && how === 'read' && { part: true as const }) }]
  })
  return touches.length === 0 ? OTHER : { kind: 'files', touches }
}
