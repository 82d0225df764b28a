import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  type Act,
  type Deed,
  DIRECTIVES,
  halfOf,
  type Move,
  pathOf,
  proofOf,
  shownBy,
  type SkillFile,
  type Tool,
} from './scene.ts'
import type { Line } from './script.ts'

/** The path of a client's transcript. */
export const transcriptOf = (session: string, project: string): string =>
  join(project, '..', `${session}.jsonl`)

/** The payload of Claude Code for a deed; undefined for our own commands. */
export function payloadOf(
  { session, act, prompt }: Deed,
  project: string,
): Readonly<Record<string, unknown>> | undefined {
  const about = {
    session_id: session,
    cwd: project,
    transcript_path: transcriptOf(session, project),
    prompt_id: prompt,
  }
  const event = (name: string, more: object = {}) => ({ ...about, hook_event_name: name, ...more })
  switch (act.kind) {
    case 'start':
      return event('SessionStart', { source: act.source })
    case 'prompt':
      return event('UserPromptSubmit', { prompt: act.text })
    case 'before':
      return event('PreToolUse', callOf(act, project))
    case 'after':
      return event('PostToolUse', { ...callOf(act, project), tool_response: responseOf(act) })
    case 'failed':
      return event('PostToolUseFailure', { ...callOf(act, project), error: FAULT })
    case 'sub':
      return event(act.event, {
        agent_id: act.agent,
        agent_type: 'helper',
        ...(act.event.endsWith('ToolUse')
          ? { ...callOf(act, project), tool_response: responseOf(act) }
          : { error: 'rate_limit', stop_hook_active: false }),
      })
    case 'compacting':
      return event('PreCompact', { trigger: 'auto' })
    case 'stop':
      return event(act.fails ? 'StopFailure' : 'Stop', {
        stop_hook_active: false,
        last_assistant_message: act.last,
        ...(act.fails && { error: 'rate_limit' }),
      })
    case 'notification':
      return event('Notification', { notification_type: 'idle_prompt', message: 'Waiting.' })
    case 'end':
      return event('SessionEnd', { reason: act.reason })
    case 'usage':
      return { ...about, context_window: { used_percentage: act.percent, context_window_size: 200_000 } }
    case 'log':
    case 'move':
    case 'tick':
    case 'approve':
    case 'finish':
    case 'unheard':
    case 'restart':
      return undefined
    default:
      return act satisfies never
  }
}

const FAULT = 'It failed.'

/** The sub-agent that a call starts. */
export const agentOf = (call: string): string => `agent-${call}`

type Responded = { readonly id: string; readonly tool: Tool; readonly result?: string }

/** A tool answers its client in fields, and the model in text. */
export const responseOf = ({ id, tool, result = '' }: Responded) => ({
  output: result,
  ...(tool.kind === 'read' && answerOf(tool)),
  ...(tool.kind === 'agent' && {
    status: tool.isBehind ? 'async_launched' : 'completed',
    agentId: agentOf(id),
  }),
})

/** The text of the files that the client shows. */
function answerOf(tool: Extract<Tool, { kind: 'read' }>) {
  const lines = tool.files.flatMap(({ file }) => shownBy(tool).flatMap((half) => halfOf(file, half)))
  if (tool.by === 'Read') return { type: 'text', file: { content: lines.join('\n') } }
  return { stdout: tool.by === 'pipe' ? '2' : lines.join('\n'), stderr: '' }
}

/** The transcript lines of a deed: before its event, after it, and the partial line in between. */
export interface Lines {
  readonly before: readonly Line[]
  readonly half?: Line
  readonly after: readonly Line[]
}

export function linesOf(act: Act, isRefused: boolean, project: string): Lines {
  const call = (id: string, tool: Tool): Line => {
    const { tool_name: name, tool_input: input } = toolOf(tool, project)
    return { kind: 'call', id, tool: name, input: JSON.stringify(input) }
  }
  const result = (id: string, outcome: string): Line => ({ kind: 'result', id, outcome })
  switch (act.kind) {
    case 'prompt':
      return { before: [promptLine(act.text)], after: [] }
    case 'before':
      return { before: [call(act.id, act.tool)], after: isRefused ? [result(act.id, 'refused')] : [] }
    case 'after':
      return { before: [], after: [result(act.id, act.result)] }
    case 'failed':
      return { before: [], after: [result(act.id, `failed: ${FAULT}`)] }
    case 'stop':
      return {
        before: [],
        ...(act.half !== undefined && { half: saidLine(act.half) }),
        after: [saidLine(act.last)],
      }
    case 'unheard': {
      const lost = [call(act.id, { kind: 'shell' }), result(act.id, act.result)]
      return { before: [promptLine(act.prompt), saidLine('I look.'), ...lost], after: [] }
    }
    default:
      return { before: [], after: [] }
  }
}

const saidLine = (text: string): Line => ({ kind: 'text', role: 'assistant', text })

const promptLine = (text: string): Line => ({
  kind: 'text',
  role: text.startsWith('<task-notification>') ? 'system' : 'user',
  text,
})

/** The format of Claude Code. */
export function jsonLine(line: Line, at: number): string {
  const entry = (type: string, content: unknown) =>
    `${JSON.stringify({ type, uuid: randomUUID(), timestamp: new Date(at).toISOString(), message: { content } })}\n`
  switch (line.kind) {
    case 'text':
      return line.role === 'assistant'
        ? entry('assistant', [{ type: 'text', text: line.text }])
        : entry('user', typedText(line.text))
    case 'call': {
      const input: unknown = JSON.parse(line.input)
      return entry('assistant', [{ type: 'tool_use', id: line.id, name: line.tool, input }])
    }
    case 'result': {
      const [, fault] = /^failed: (.*)$/.exec(line.outcome) ?? []
      const said = fault === undefined ? { content: line.outcome } : { content: fault, is_error: true }
      return entry('user', [{ type: 'tool_result', tool_use_id: line.id, ...said }])
    }
    default:
      return line satisfies never
  }
}

/** A command is written in parts. */
function typedText(text: string): string {
  const [, command, args = ''] = /^(\/\S+)\s*(.*)$/.exec(text) ?? []
  if (command === undefined) return text
  return `<command-message>${command.slice(1)}</command-message>\n<command-name>${command}</command-name>\n<command-args>${args}</command-args>`
}

const callOf = ({ id, tool }: { readonly id: string; readonly tool: Tool }, project: string) => ({
  tool_use_id: id,
  ...toolOf(tool, project),
})

const bash = (command: string): Called => ({ tool_name: 'Bash', tool_input: { command } })

interface Called {
  readonly tool_name: string
  readonly tool_input: Readonly<Record<string, unknown>>
}

function toolOf(tool: Tool, project: string): Called {
  const full = ({ skill, file }: SkillFile) => join(project, pathOf(skill, file))
  switch (tool.kind) {
    case 'read':
      return reading(tool, tool.files.map(full))
    case 'hidden':
      return bash(`python3 -c "print(open('${full(tool.file)}').read())"`)
    case 'edit':
      return {
        tool_name: 'Edit',
        tool_input: { file_path: full(tool.file), old_string: 'a', new_string: 'b' },
      }
    case 'skill':
      return { tool_name: 'Skill', tool_input: { skill: tool.name } }
    case 'shell':
      return bash('ls -la')
    case 'agent':
      return {
        tool_name: 'Agent',
        tool_input: { prompt: promptFor(tool, tool.steps.map(full)), subagent_type: 'helper' },
      }
    case 'work':
      return working(tool, project)
    case 'todos':
      return { tool_name: 'TodoWrite', tool_input: { todos: tool.items } }
    case 'command':
      return bash(commandFor(tool.move))
    case 'ours':
      return bash('holdfast log "went on"')
    default:
      return tool satisfies never
  }
}

/** Stands for the folder of a project in any text. */
export const PLACE = '/P'

/** Stands for the id of the effort in a command. */
export const EFFORT = 'EFFORT'

/** A word as a shell wants it. */
export const inShell = (word: string): string => (word.includes(' ') ? `'${word}'` : word)

function commandFor({ by, to, outcome, gives }: Move): string {
  const proof = gives.length === 0 ? '' : ` --proof '${JSON.stringify(proofOf(gives))}'`
  if (by === 'phase') return `holdfast effort phase ${EFFORT} ${inShell(to)}${proof}`
  const about = `${inShell(to)} --effort ${EFFORT}${proof}`
  if (by === 'go') return `holdfast step go ${about}`
  return outcome === 'fail' || outcome === 'skip'
    ? `holdfast step ${outcome} ${about} --reason 'It had to be.'`
    : `holdfast step done ${about} --outcome ${outcome}`
}

const promptFor = ({ steps, holds }: Extract<Tool, { kind: 'agent' }>, paths: readonly string[]): string =>
  [
    `Do ${paths.join(', ')}.`,
    ...steps.flatMap(({ file }) => holds.flatMap((half) => halfOf(file, half))),
  ].join('\n')

function working({ by, folder }: Extract<Tool, { kind: 'work' }>, project: string): Called {
  const file = join(project, folder, 'a.txt')
  switch (by) {
    case 'Read':
      return { tool_name: 'Read', tool_input: { file_path: file } }
    case 'Edit':
      return { tool_name: 'Edit', tool_input: { file_path: file, old_string: 'a', new_string: 'b' } }
    case 'cat':
      return bash(`cat '${file}'`)
    case 'directive':
      return { tool_name: 'Read', tool_input: { file_path: join(project, DIRECTIVES[folder].file) } }
    default:
      return by satisfies never
  }
}

function reading({ by }: Extract<Tool, { kind: 'read' }>, paths: readonly string[]): Called {
  const words = paths.map((path) => `'${path}'`).join(' ')
  switch (by) {
    case 'Read':
      return { tool_name: 'Read', tool_input: { file_path: paths[0] } }
    case 'cat':
      return bash(`cat ${words}`)
    case 'head':
      return bash(`head -n 40 ${words}`)
    case 'sed':
      return bash(`sed -n '1,80p' ${words}`)
    case 'pipe':
      return bash(`cat ${words} | grep -n step | wc -l`)
    default:
      return by satisfies never
  }
}
