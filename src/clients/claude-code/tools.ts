import type { Todo, ToolAction, ToolCall, Touch } from '../../model/event.ts'
import { keptJson, keptText } from '../../model/kept.ts'
import { pathOfAddress } from '../../model/path.ts'
import { type Fields, fieldsOf, flagOf, listOf, nameOf, pathOf, textOf } from './fields.ts'

type Reading = (input: Fields, cwd: string | undefined) => ToolAction

const OTHER: ToolAction = { kind: 'other' }

/** A call as hooks tell it; also one of a batch. */
export function toolCall(call: Fields, cwd: string | undefined): ToolCall {
  const name = nameOf(call['tool_name']) ?? ''
  const input = fieldsOf(call['tool_input'])
  const read = TOOLS.get(name) ?? (name.startsWith('mcp__') ? mcpTool(name) : undefined)
  return {
    id: nameOf(call['tool_use_id']),
    name,
    does: read?.(input, cwd) ?? OTHER,
    input: keptJson(call['tool_input']),
  }
}

const touching =
  (field: string, how: Touch['how']): Reading =>
  (input, cwd) =>
    files([input[field]], how, cwd)

/** A search without a folder is one of the current folder. */
const searching =
  (howOf: (input: Fields) => Touch['how']): Reading =>
  (input, cwd) =>
    files([input['path'] ?? cwd], howOf(input), cwd, true)

// A command is judged, so it is never cut: what comes after the cut would go unseen.
const command: Reading = ({ command: text }) =>
  typeof text === 'string' ? { kind: 'command', command: keptText(text, Infinity) } : OTHER

const skill: Reading = (input) => {
  // Some models write the name as the user would, with a slash.
  const name = nameOf(input['skill'])?.replace(/^\//, '')
  return name === undefined ? OTHER : { kind: 'skill', name, args: textOf(input['args']) ?? '' }
}

const agent: Reading = (input) => ({
  kind: 'agent',
  type: nameOf(input['subagent_type']),
  prompt: textOf(input['prompt']) ?? '',
  background: flagOf(input['run_in_background']),
})

const todos =
  (itemsOf: (input: Fields) => readonly Todo[]): Reading =>
  (input) => ({ kind: 'todos', todos: itemsOf(input) })

/** The client's tools, also those that only older or other builds of it have. */
const TOOLS: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ['Read', touching('file_path', 'read')],
  ['NotebookRead', touching('notebook_path', 'read')],
  ['ReadMcpResource', (input, cwd) => files([input['uri']], 'read', cwd)],
  ['ReadMcpResourceTool', (input, cwd) => files([input['uri']], 'read', cwd)],
  ['Write', touching('file_path', 'write')],
  ['Edit', touching('file_path', 'write')],
  ['MultiEdit', touching('file_path', 'write')],
  ['NotebookEdit', touching('notebook_path', 'write')],
  ['LS', touching('path', 'list')],
  ['Glob', searching(() => 'list')],
  ['Grep', searching((input) => (input['output_mode'] === 'content' ? 'read' : 'list'))],
  ['Bash', command],
  ['PowerShell', command],
  ['Monitor', command],
  ['Skill', skill],
  ['Agent', agent],
  ['Task', agent],
  ['TodoWrite', todos((input) => listOf(input['todos']).map((item) => todoOf(fieldsOf(item), 'content')))],
  ['TaskCreate', todos((input) => [{ ...todoOf(input, 'subject'), status: 'pending' }])],
  ['TaskUpdate', todos((input) => [{ ...todoOf(input, 'subject'), id: nameOf(input['taskId']) }])],
])

function todoOf(item: Fields, text: string): Todo {
  return { id: nameOf(item['id']), text: textOf(item[text]), status: nameOf(item['status']) }
}

const HOW: readonly (readonly [Touch['how'], ReadonlySet<string>])[] = [
  [
    'write',
    new Set(
      'write edit create append insert replace update modify patch move rename copy delete remove save'.split(
        ' ',
      ),
    ),
  ],
  ['list', new Set('list ls search find glob tree directory directories folder dir info stat'.split(' '))],
  ['read', new Set('read get view cat open load fetch show head tail'.split(' '))],
]

const PATH_FIELDS = 'path paths file files file_path filePath filepath filename uri source destination'.split(
  ' ',
)

/** Servers name their file tools as they like, so the words of the name and of the fields must tell. */
function mcpTool(name: string): Reading | undefined {
  const words = name
    .slice(name.indexOf('__', 'mcp__'.length) + 2)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  const how = HOW.find(([, verbs]) => words.some((word) => verbs.has(word)))?.[0]
  if (how === undefined) return undefined
  return (input, cwd) =>
    files(
      PATH_FIELDS.flatMap((field) => (Array.isArray(input[field]) ? listOf(input[field]) : [input[field]])),
      how,
      cwd,
    )
}

function files(
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
