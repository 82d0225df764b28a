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
const SEARCH = words('search grep ripgrep rg')
const TEXTS = words('grep ripgrep rg content contents text pattern code')
const HOW: readonly (readonly [Touch['how'], ReadonlySet<string>])[] = [
  [
    'write',
    words('write edit create append insert replace update modify patch move rename copy delete remove save'),
  ],
  ['list', words('list ls search find glob tree directory directories folder dir info stat')],
  ['read', words('read get view cat open load fetch show head tail')],
]
const PATHS = words(
  'path paths file files filepath filename filenames uri uris source destination document documents',
)

/** MCP servers choose their own tool names, so we look for words in names and fields. */
export function mcpTool(name: string): Reading | undefined {
  const named = wordsOf(name.slice(name.indexOf('__', 'mcp__'.length) + 2))
  const is = (verbs: ReadonlySet<string>) => named.some((word) => verbs.has(word))
  if (is(SEARCH) && is(TEXTS)) return (input, cwd) => files(pathsIn(input, cwd), 'read', cwd)
  const how = HOW.find(([, verbs]) => is(verbs))?.[0]
  if (how === undefined) return is(SHELL) ? command : undefined
  return (input, cwd) => {
    const touched = files(pathsIn(input, undefined), how, cwd)
    return touched.kind === 'other' && is(SHELL) ? command(input, cwd) : touched
  }
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
  Object.entries(fields).flatMap(([field, value]) =>
    wordsOf(field).some((word) => PATHS.has(word)) ? listOrOne(value) : [],
  )

const listOrOne = (value: unknown): readonly unknown[] => (Array.isArray(value) ? listOf(value) : [value])

/** A command with its own folder becomes `cd FOLDER && COMMAND`. */
const command: Reading = (input) => {
  const text = input['command'] ?? input['cmd'] ?? input['script']
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
