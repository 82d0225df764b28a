import type { Replacement, Todo, ToolCall, Touch } from '../../model/event.ts'
import { isOtherGlob, isTypeOfCode, pickedBy } from '../../model/text/file-types.ts'
import { parentOf } from '../../model/directive.ts'
import { keptText } from '../../model/text/kept.ts'
import { filesNamedIn, mentionsIn } from '../../model/text/named-files.ts'
import { type Fields, fieldsOf, flagOf, listOf, nameOf, textOf } from './fields.ts'
import { givenTo } from './given-words.ts'
import { files, mcpTool, OTHER, type Reading } from './mcp-tools.ts'

/** Decodes a tool call of a hook payload or a batch. */
export function toolCall(call: Fields, cwd: string | undefined): ToolCall {
  const name = nameOf(call['tool_name']) ?? ''
  const input = fieldsOf(call['tool_input'])
  const read = TOOLS.get(name) ?? (name.startsWith('mcp__') ? mcpTool(name) : undefined)
  return {
    id: nameOf(call['tool_use_id']),
    name,
    does: read?.(input, cwd) ?? OTHER,
    input: call['tool_input'] ?? null,
  }
}

const touching =
  (field: string, how: Touch['how']): Reading =>
  (input, cwd) =>
    files([input[field]], how, cwd)

/** A server may have addresses of its own for files. */
const resource: Reading = (input, cwd) => {
  const found = files([input['uri']], 'read', cwd)
  return found.kind === 'other' ? givenTo('ReadMcpResource', { uri: input['uri'] }) : found
}

/** A write that says what the file becomes. */
const making =
  (makes: (input: Fields) => Touch['makes']): Reading =>
  (input, cwd) => {
    const action = files([input['file_path']], 'write', cwd)
    if (action.kind !== 'files') return action
    const touches = action.touches.map((touch) => ({ ...touch, makes: makes(input) }))
    return { ...action, touches: [...touches, ...touches.flatMap(importsOf)] }
  }

/** Files that the client loads by itself, with all that they import. */
const MEMORY = /\/(?:CLAUDE(?:\.local)?\.md|\.claude\/rules\/.*\.md)$/i

/** What a written memory file imports comes with the result of the write. */
function importsOf({ path, makes }: Touch): readonly Touch[] {
  if (makes === undefined || !MEMORY.test(path)) return []
  const texts = typeof makes === 'string' ? [makes] : makes.map(({ to }) => to)
  const found = texts.flatMap((text) => mentionsIn(text, { cwd: parentOf(path) }))
  return found.map((one) => ({ path: one, how: 'read', part: true }))
}

/** Never cut, because the result is judged. */
const wholeText = (value: unknown): string => (typeof value === 'string' ? keptText(value, Infinity) : '')

const replacement = ({ old_string, new_string, replace_all }: Fields): Replacement => ({
  from: wholeText(old_string),
  to: wholeText(new_string),
  isEverywhere: replace_all === true,
})

/** A search without a folder searches the current folder; its glob may pick files further down. */
const searching =
  (howOf: (input: Fields) => Touch['how']): Reading =>
  (input, cwd) => {
    const folder = textOf(input['path']) ?? cwd
    const how = howOf(input)
    const picked = how === 'read' ? pickedBy(folder, textOf(input['glob'])) : []
    return files([folder, ...picked], how, cwd, true)
  }

/** A search for code or data shows no line of a Markdown file. */
const showsLines = ({ output_mode, path, glob, type }: Fields): boolean =>
  output_mode === 'content' &&
  // A named file is searched whatever its type is.
  (/\.md$/i.test(textOf(path) ?? '') || (!isOtherGlob(textOf(glob)) && !isTypeOfCode(textOf(type))))

// Commands are never cut, because rules judge the whole text.
const command: Reading = ({ command: text }) =>
  typeof text === 'string' ? { kind: 'command', command: keptText(text, Infinity) } : OTHER

const skill: Reading = (input) => {
  // Some models write the name with a slash, as users do.
  const name = nameOf(input['skill'])?.replace(/^\//, '')
  return name === undefined ? OTHER : { kind: 'skill', name, args: textOf(input['args']) ?? '' }
}

const agent: Reading = (input) => ({
  kind: 'agent',
  type: nameOf(input['subagent_type']),
  prompt: textOf(input['prompt']) ?? '',
  background: flagOf(input['run_in_background']),
})

/** The command of an older build, as users type it: a slash, the name of a skill, and what follows. */
const slashCommand: Reading = (input) => {
  const [, name, args = ''] = /^\/?(\S+)\s*([^]*)$/.exec(textOf(input['command']) ?? '') ?? []
  return name === undefined ? OTHER : { kind: 'skill', name, args }
}

/** A prompt that the client submits later attaches the files that it mentions. */
const laterPrompt =
  (tool: string): Reading =>
  (input, cwd) =>
    givenTo(tool, { files: mentionsIn(textOf(input['prompt']) ?? '', { cwd }) })

/** A message to a sub-agent may send it to a step. */
const agentMessage: Reading = (input, cwd) =>
  givenTo('SendMessage', { files: filesNamedIn(textOf(input['message']) ?? '', { cwd }) })

/** A tool that reads, runs or hands on what its input names. */
const given =
  (tool: string): Reading =>
  (input) =>
    givenTo(tool, input)

const todos =
  (itemsOf: (input: Fields) => readonly Todo[], more: { readonly isWhole?: true } = {}): Reading =>
  (input) => ({ kind: 'todos', todos: itemsOf(input), ...more })

/** The client's tools, including those of older and other builds. */
const TOOLS: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ['Read', touching('file_path', 'read')],
  ['NotebookRead', touching('notebook_path', 'read')],
  ['ReadMcpResource', resource],
  ['ReadMcpResourceTool', resource],
  ['Write', making(({ content }) => wholeText(content))],
  ['Edit', making((input) => [replacement(input)])],
  ['MultiEdit', making(({ edits }) => listOf(edits).map((edit) => replacement(fieldsOf(edit))))],
  ['NotebookEdit', touching('notebook_path', 'write')],
  ['LS', touching('path', 'list')],
  ['Glob', searching(() => 'list')],
  ['Grep', searching((input) => (showsLines(input) ? 'read' : 'list'))],
  ['Bash', command],
  ['PowerShell', command],
  ['Monitor', command],
  ['Skill', skill],
  ['SlashCommand', slashCommand],
  ...['REPL', 'Workflow', 'LSP'].map((name) => [name, given(name)] as const),
  ...['CronCreate', 'ScheduleWakeup'].map((name) => [name, laterPrompt(name)] as const),
  ['SendMessage', agentMessage],
  ['Agent', agent],
  ['Task', agent],
  [
    'TodoWrite',
    todos((input) => listOf(input['todos']).map((item) => todoOf(fieldsOf(item), 'content')), {
      isWhole: true,
    }),
  ],
  ['TaskCreate', todos((input) => [{ ...todoOf(input, 'subject'), status: 'pending' }])],
  ['TaskUpdate', todos((input) => [{ ...todoOf(input, 'subject'), id: nameOf(input['taskId']) }])],
])

function todoOf(item: Fields, text: string): Todo {
  return { id: nameOf(item['id']), text: textOf(item[text]), status: nameOf(item['status']) }
}
