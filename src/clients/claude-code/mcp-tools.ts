import type { ToolAction, Touch } from '../../model/event.ts'
import { keptText } from '../../model/text/kept.ts'
import { pathOfAddress } from '../../model/text/path.ts'
import { shellWord } from '../../model/shell/word.ts'
import { type Fields, isFields, listOf, pathOf } from './fields.ts'

/** Reads from the input of a call what the call does. */
export type Reading = (input: Fields, cwd: string | undefined) => ToolAction

/** An action that Holdfast does not handle. */
export const OTHER: ToolAction = { kind: 'other' }

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const SHELL = words('shell bash exec execute run command terminal process')
const COPY = words('copy cp duplicate')
const SEARCH = words('search grep ripgrep rg')
const TEXTS = words('grep ripgrep rg content contents text pattern code')
const HOW: readonly (readonly [Touch['how'], ReadonlySet<string>])[] = [
  [
    'write',
    words('write edit create append insert replace update modify patch move rename delete remove save'),
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
  if (is(SEARCH) && isOfTexts) return (input, cwd) => files(pathsIn(input, cwd), 'read', cwd)
  // A copy shows what it takes.
  if (is(COPY)) return (input, cwd) => both(pathsIn(input, undefined), cwd)
  const how = HOW.find(([, verbs]) => is(verbs))?.[0]
  if (how === undefined) return is(SHELL) ? command : undefined
  return (input, cwd) => {
    const touched = files(pathsIn(input, undefined), how, cwd)
    return touched.kind === 'other' && is(SHELL) ? command(input, cwd) : touched
  }
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

/** All paths in the fields, in lists, and in lists of objects; else the fallback. */
function pathsIn(input: Fields, fallback: string | undefined): readonly unknown[] {
  // A path in a remote repository is not a local file.
  if (typeof input['repo'] === 'string' && typeof input['owner'] === 'string') return []
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
  const text =
    input['command'] ??
    input['cmd'] ??
    input['script'] ??
    // Code of any language may show the files that it names, as that of an interpreter does.
    (typeof code === 'string' ? `python3 -c ${shellWord(code)}` : undefined)
  if (typeof text !== 'string') return OTHER
  const folder = input['cwd'] ?? input['workdir'] ?? input['working_directory']
  const first = typeof folder === 'string' && folder !== '' ? `cd ${shellWord(folder)} && ` : ''
  return { kind: 'command', command: keptText(first + text, Infinity) }
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
    const absolute = pathOf(path, cwd)
    return absolute === undefined
      ? []
      : [{ path: absolute, how, ...(isSearch && how === 'read' && { part: true as const }) }]
  })
  return touches.length === 0 ? OTHER : { kind: 'files', touches }
}
