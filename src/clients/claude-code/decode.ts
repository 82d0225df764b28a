import {
  type EventOrigin,
  type Happening,
  type HookEvent,
  SESSION_SOURCES,
  type Todo,
  type ToolCall,
  type ToolOutcome,
} from '../../model/event.ts'
import {
  type Fields,
  fieldsOf,
  flagOf,
  isFields,
  listOf,
  nameOf,
  numberOf,
  pathOf,
  textOf,
} from './fields.ts'
import { shownIn } from './shown.ts'
import { toolCall } from './tools.ts'

export const NAME = 'claude-code'

type Decoder = (payload: Fields, cwd: string | undefined) => Happening

/** Decodes any payload of the client to an event. */
export function decode(payload: unknown): HookEvent {
  const fields = fieldsOf(payload)
  const name = nameOf(fields['hook_event_name']) ?? (isStatusLine(fields) ? 'StatusLine' : undefined)
  const origin = originOf(fields, name)
  const decoder = name === undefined ? undefined : DECODERS.get(name)
  return { ...origin, ...(decoder?.(fields, origin.cwd) ?? { kind: 'other' }) }
}

/** A status line payload has no event name, and only it reports the context usage. */
const isStatusLine = (fields: Fields): boolean => isFields(fields['context_window'])

function originOf(fields: Fields, name: string | undefined): EventOrigin {
  const agent = nameOf(fields['agent_id'])
  const cwd = pathOf(fields['cwd'], undefined)
  return {
    client: NAME,
    name,
    session: sessionOf(fields['session_id']),
    cwd,
    transcript: pathOf(fields['transcript_path'], cwd),
    promptId: nameOf(fields['prompt_id']),
    // A type without an id is the main thread of a session started as that agent.
    subagent: agent === undefined ? undefined : { id: agent, type: nameOf(fields['agent_type']) },
    permissionMode: nameOf(fields['permission_mode']),
  }
}

/** An id with a slash would pass for the scope of another session's sub-agent. */
function sessionOf(value: unknown): string | undefined {
  const id = nameOf(value)
  return id?.includes('/') === true ? undefined : id
}

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['SessionStart', sessionStarted],
  ['SessionEnd', ({ reason }) => ({ kind: 'session.ended', reason: nameOf(reason) })],
  ['UserPromptSubmit', promptSubmitted],
  ['UserPromptExpansion', promptExpanded],
  ['PreToolUse', (payload, cwd) => ({ kind: 'tool.before', tool: toolCall(payload, cwd) })],
  ['PostToolUse', (payload, cwd) => ({ kind: 'tool.after', tool: outcomeOf(payload, cwd) })],
  ['PostToolUseFailure', toolFailed],
  [
    'PostToolBatch',
    ({ tool_calls: calls }, cwd) => ({
      kind: 'tool.batch',
      tools: listOf(calls).map((call) => outcomeOf(fieldsOf(call), cwd)),
    }),
  ],
  ['PermissionRequest', (payload, cwd) => ({ kind: 'permission.requested', tool: toolCall(payload, cwd) })],
  [
    'PermissionDenied',
    (payload, cwd) => ({
      kind: 'permission.denied',
      tool: toolCall(payload, cwd),
      reason: textOf(payload['reason']),
    }),
  ],
  ['SubagentStart', () => ({ kind: 'subagent.started' })],
  ['SubagentStop', subagentStopped],
  ['Stop', (payload) => ({ kind: 'turn.stopped', ...stopped(payload) })],
  ['StopFailure', turnFailed],
  ['PreCompact', ({ trigger }) => ({ kind: 'compact.before', trigger: nameOf(trigger) })],
  [
    'PostCompact',
    ({ trigger, compact_summary: summary }) => ({
      kind: 'compact.after',
      trigger: nameOf(trigger),
      summary: textOf(summary),
    }),
  ],
  ['StatusLine', contextMeasured],
  [
    'Notification',
    ({ notification_type: about, message }) => ({
      kind: 'notification',
      about: nameOf(about),
      message: textOf(message) ?? '',
    }),
  ],
  ['MessageDisplay', () => ({ kind: 'message.shown' })],
  [
    'InstructionsLoaded',
    ({ file_path: path, load_reason: why }, cwd) => ({
      kind: 'instructions.loaded',
      path: pathOf(path, cwd),
      why: nameOf(why),
    }),
  ],
  ['TaskCreated', (payload) => ({ kind: 'todo.created', todo: todoOf(payload, 'pending') })],
  ['TaskCompleted', (payload) => ({ kind: 'todo.completed', todo: todoOf(payload, 'completed') })],
  ['TeammateIdle', ({ teammate_name: name }) => ({ kind: 'teammate.idle', teammate: nameOf(name) })],
  [
    'ConfigChange',
    ({ source, file_path: path }, cwd) => ({
      kind: 'config.changed',
      source: nameOf(source),
      path: pathOf(path, cwd),
    }),
  ],
  [
    'CwdChanged',
    ({ old_cwd: from, new_cwd: to }, cwd) => ({
      kind: 'cwd.changed',
      from: pathOf(from, cwd),
      to: pathOf(to, cwd),
    }),
  ],
  ['DirectoryAdded', ({ directory }, cwd) => ({ kind: 'folder.added', path: pathOf(directory, cwd) })],
  [
    'FileChanged',
    ({ file_path: path, event }, cwd) => ({
      kind: 'file.changed',
      path: pathOf(path, cwd),
      change: nameOf(event),
    }),
  ],
  ['WorktreeCreate', ({ name }) => ({ kind: 'worktree.wanted', worktree: nameOf(name) })],
  [
    'WorktreeRemove',
    ({ worktree_path: path }, cwd) => ({ kind: 'worktree.removed', path: pathOf(path, cwd) }),
  ],
  ['PreModelSwitch', (payload) => ({ kind: 'model.switching', ...modelsOf(payload) })],
  ['PostModelSwitch', (payload) => ({ kind: 'model.switched', ...modelsOf(payload) })],
  ['Elicitation', ({ message }) => ({ kind: 'question.asked', message: textOf(message) ?? '' })],
  ['ElicitationResult', ({ action }) => ({ kind: 'question.answered', answer: nameOf(action) })],
  ['Setup', ({ trigger }) => ({ kind: 'setup', trigger: nameOf(trigger) })],
])

function sessionStarted({ source, model, context_tokens: tokens }: Fields): Happening {
  return {
    kind: 'session.started',
    source: SESSION_SOURCES.find((known) => known === source),
    model: nameOf(model),
    contextTokens: numberOf(tokens),
  }
}

/** From the client's types; no captured payload has them. */
const BY_CLIENT: ReadonlySet<unknown> = new Set(['system', 'loop_wakeup', 'schedule_wakeup', 'poll_event'])

function promptSubmitted({ prompt, source }: Fields): Happening {
  const text = textOf(prompt) ?? ''
  const isNews = text.startsWith('<task-notification>')
  return { kind: 'prompt.submitted', text, by: isNews || BY_CLIENT.has(source) ? 'client' : 'user' }
}

function promptExpanded({ command_name: command, command_args: args, prompt }: Fields): Happening {
  return {
    kind: 'prompt.expanded',
    command: nameOf(command) ?? '',
    args: textOf(args) ?? '',
    text: textOf(prompt) ?? '',
  }
}

const AGENT_STATES: ReadonlyMap<unknown, 'done' | 'running'> = new Map([
  ['completed', 'done'],
  ['async_launched', 'running'],
  ['teammate_spawned', 'running'],
])

function outcomeOf(call: Fields, cwd: string | undefined): ToolOutcome {
  const tool = toolCall(call, cwd)
  const response = fieldsOf(call['tool_response'])
  return {
    ...tool,
    result: call['tool_response'] ?? null,
    ...(isReading(tool) && { shown: shownIn(call['tool_response']) }),
    ended: hasEnded(response, fieldsOf(call['tool_input'])),
    ...(goesOn(response, fieldsOf(call['tool_input'])) && { goesOn: true }),
    ...(tool.does.kind === 'agent' && {
      subagent: {
        id: nameOf(response['agentId']),
        state: AGENT_STATES.get(response['status']) ?? 'unknown',
      },
    }),
  }
}

const isReading = ({ does }: ToolCall): boolean => does.kind === 'files' || does.kind === 'command'

/** A background command returns when it starts, not when it ends. */
const hasEnded = (response: Fields, input: Fields): boolean =>
  response['interrupted'] === false && !goesOn(response, input)

const goesOn = (response: Fields, input: Fields): boolean =>
  response['backgroundTaskId'] !== undefined || input['run_in_background'] === true

function toolFailed(payload: Fields, cwd: string | undefined): Happening {
  return {
    kind: 'tool.failed',
    tool: toolCall(payload, cwd),
    error: textOf(payload['error']) ?? '',
    interrupted: payload['is_interrupt'] === true,
  }
}

function subagentStopped(payload: Fields, cwd: string | undefined): Happening {
  // The client's own summarizer stops without a type and without a start.
  if (payload['agent_type'] === '') return { kind: 'other' }
  return {
    kind: 'subagent.stopped',
    subagentTranscript: pathOf(payload['agent_transcript_path'], cwd),
    ...stopped(payload),
  }
}

function stopped(payload: Fields) {
  // A stopping sub-agent still lists itself as running.
  const others = listOf(payload['background_tasks'])
    .map(fieldsOf)
    .filter(({ id, status }) => status === 'running' && (id === undefined || id !== payload['agent_id']))
  return {
    again: flagOf(payload['stop_hook_active']) ?? false,
    lastMessage: textOf(payload['last_assistant_message']),
    running: others.length,
  }
}

function turnFailed({ error, last_assistant_message: message }: Fields): Happening {
  return { kind: 'turn.failed', error: nameOf(error) ?? 'unknown', lastMessage: textOf(message) }
}

function contextMeasured({ context_window: context }: Fields): Happening {
  const { used_percentage: percent, context_window_size: window, current_usage: usage } = fieldsOf(context)
  return {
    kind: 'context.measured',
    percent: numberOf(percent),
    tokens: tokensIn(usage),
    window: numberOf(window),
  }
}

/** The tokens that the client counts as used: all input, cached or not. */
function tokensIn(usage: unknown): number | undefined {
  if (!isFields(usage)) return undefined
  const kinds = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']
  return kinds.reduce((sum, kind) => sum + (numberOf(usage[kind]) ?? 0), 0)
}

const todoOf = ({ task_id: id, task_subject: text }: Fields, status: string): Todo => ({
  id: nameOf(id),
  text: textOf(text),
  status,
})

const modelsOf = ({ from_model: from, to_model: to }: Fields) => ({ from: nameOf(from), to: nameOf(to) })
