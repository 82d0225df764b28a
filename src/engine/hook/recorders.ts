import type { HookEvent, ToolCall } from '../../model/event.ts'
import { changedBy, loadedBy } from '../../model/loaded-files.ts'
import type { CallNews, OpenCall } from '../../model/open-call.ts'
import { keptText } from '../../model/text/kept.ts'
import { todosBy } from '../../model/todo-list.ts'
import { outcomesOf } from '../../model/transcript.ts'
import type { Pending } from '../../store/volatile.ts'
import type { Call } from '../call/method.ts'
import type { LookName } from './looks/index.ts'
import type { Looked } from './looks/look.ts'

/** Records something of every event of its kinds in memory, independent of the rules. */
interface Recorder {
  readonly name: string
  readonly on: readonly HookEvent['kind'][]
  readonly looks: readonly LookName[]
  /** Runs before the rules, so that it is written with their changes. */
  readonly isFirst?: true
  /** Returns fields that no other recorder returns. */
  note(looked: Looked, call: Call, session: number): Partial<Pending> | undefined
}

/** Records open tool calls. */
const openCalls: Recorder = {
  name: 'open-calls',
  on: [
    'tool.before',
    'tool.after',
    'tool.failed',
    'permission.denied',
    'tool.batch',
    'turn.stopped',
    'turn.failed',
  ],
  looks: [],
  isFirst: true,
  note({ event }, call) {
    // A call without an id counts, although its end cannot be matched.
    if (event.kind === 'tool.before' && event.tool.id === undefined) return { beats: 1 }
    const calls = newsOf(event, call)
    return calls.length === 0 ? undefined : { calls }
  },
}

/** Records the files in the agent's context. */
const loadedFiles: Recorder = {
  name: 'loaded-files',
  on: ['tool.after'],
  looks: [],
  note({ event }) {
    const files = loadedBy(event)
    return files.length === 0 ? undefined : { loadedFiles: files }
  },
}

/** Records the files that the agent changed, by a file tool or a command. */
const changedFiles: Recorder = {
  name: 'changed-files',
  on: ['tool.after'],
  looks: ['files'],
  note({ event, changed = changedBy(event) }) {
    return changed.length === 0 ? undefined : { changedFiles: changed }
  },
}

/** Records the todo list of the client. */
const todos: Recorder = {
  name: 'todos',
  on: ['tool.after', 'todo.created', 'todo.completed'],
  looks: [],
  note({ event }) {
    const news = todosBy(event)
    return news === undefined ? undefined : { todos: news }
  },
}

/** Records the outcomes of tool calls. */
const outcomes: Recorder = {
  name: 'outcomes',
  on: ['tool.after', 'tool.failed', 'permission.denied'],
  looks: [],
  note: ({ event }, { now }) => ({ messages: outcomesOf(event, now) }),
}

/** Records the context usage if no status line reports it. */
const contextUsage: Recorder = {
  name: 'context-usage',
  on: ['tool.after', 'turn.stopped', 'turn.failed', 'compact.before'],
  looks: ['transcript'],
  note({ transcript: state }, { context }, session) {
    const isMeasured = context.store.volatile.measureOf(session) !== undefined
    return state?.usage === undefined || isMeasured ? undefined : { contextUsage: state.usage.usage }
  },
}

/** All recorders. Add a new one here. */
export const recorders: readonly Recorder[] = [
  openCalls,
  loadedFiles,
  changedFiles,
  todos,
  outcomes,
  contextUsage,
]

/** Every event of the main thread is a heartbeat, recorded with its details. */
export function noteFirst(looked: Looked, session: number, call: Call): void {
  const { volatile } = call.context.store
  const [news = {}, ...more] = newsFrom(FIRST, looked, session, call)
  volatile.add(session, { lastHeartbeat: call.now, ...news })
  for (const one of more) volatile.add(session, one)
}

/** Both in one, for an event that no rule judges. */
export function noteAll(looked: Looked, session: number, call: Call): void {
  const news = newsFrom(ALL, looked, session, call)
  call.context.store.volatile.add(session, Object.assign({ lastHeartbeat: call.now }, ...news))
}

/** Runs last, so that a failed and repeated event is not recorded twice. */
export function noteLast(looked: Looked, session: number, call: Call): void {
  const { volatile } = call.context.store
  for (const news of newsFrom(LAST, looked, session, call)) volatile.add(session, news)
}

const ALL = byKind(recorders)
const FIRST = byKind(recorders.filter(({ isFirst }) => isFirst === true))
const LAST = byKind(recorders.filter(({ isFirst }) => isFirst !== true))

type ByKind = ReadonlyMap<HookEvent['kind'], readonly Recorder[]>

function byKind(list: readonly Recorder[]): ByKind {
  const kinds = new Set(list.flatMap(({ on }) => on))
  return new Map([...kinds].map((kind) => [kind, list.filter(({ on }) => on.includes(kind))]))
}

function newsFrom(list: ByKind, looked: Looked, session: number, call: Call): readonly Partial<Pending>[] {
  const news: Partial<Pending>[] = []
  for (const recorder of list.get(looked.event.kind) ?? []) {
    const one = recorder.note(looked, call, session)
    if (one !== undefined) news.push(one)
  }
  return news
}

/** A call refused elsewhere shows only in the batch event and at the end of the turn. */
function newsOf(event: HookEvent, call: Call): readonly CallNews[] {
  switch (event.kind) {
    case 'tool.before':
      return event.tool.id === undefined ? [] : [{ begun: openCall(event.tool, event.tool.id, call) }]
    case 'tool.after':
    case 'tool.failed':
    case 'permission.denied':
      return endOf([event.tool])
    case 'tool.batch':
      return endOf(event.tools)
    case 'turn.stopped':
    case 'turn.failed':
      return [{ ended: 'all' }]
    default:
      return []
  }
}

/** The end of tool calls. */
export const endOf = (tools: readonly ToolCall[]): readonly CallNews[] => [
  { ended: tools.flatMap(({ id }) => id ?? []) },
]

const openCall = ({ name, does }: ToolCall, id: string, { now }: Call): OpenCall => ({
  id,
  tool: name,
  what: keptText(whatOf(does), 100),
  at: now,
  is_command: does.kind === 'command',
})

function whatOf(does: ToolCall['does']): string {
  switch (does.kind) {
    case 'command':
      return does.command
    case 'files':
      return does.touches.map(({ path }) => path).join(' ')
    case 'skill':
      return does.name
    case 'agent':
      return does.type ?? ''
    case 'todos':
    case 'other':
      return ''
    default:
      return does satisfies never
  }
}
