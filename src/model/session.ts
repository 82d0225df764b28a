import type { ToldDirective } from './directive.ts'
import type { Todo } from './event.ts'
import type { OpenCall } from './open-call.ts'

/** One context window of one client, or of a sub-agent in its own scope. It serves one effort at a time. */
export interface Session {
  readonly id: number
  readonly task_id: string
  readonly effort_id: number
  readonly prev_session_id: number | null
  readonly pid: number | null
  readonly heartbeat_counter: number
  readonly last_heartbeat: string | null
  readonly context_usage: number | null
  readonly loaded_files: readonly string[]
  /** Files that its tools wrote for the effort that it serves, the last one last. */
  readonly changed_files: readonly string[]
  /** The todo list of its client. */
  readonly todos: readonly Todo[]
  readonly dehydration_payload: unknown
  readonly native_id: string | null
  readonly client: string | null
  readonly agent_id: string | null
  readonly created_at: string
  readonly ended_at: string | null
  readonly ended_reason: EndedReason | null
  /** Running tool calls. */
  readonly open_calls: readonly OpenCall[]
  /** The last context mark that the agent was warned of, in percent. */
  readonly context_told: number
  readonly told_directives: readonly ToldDirective[]
  /** Efforts that somebody took from it while it served another one, or gave to it; it has not heard of them yet. */
  readonly lost_efforts: readonly number[]
  /** The client's session whose sub-agent this is; null for a main thread. */
  readonly scope_of: string | null
  /** The checkout that its client works in. */
  readonly workplace_id: number
}

/** The id of a sub-agent's scope, as if it were a session of the client. */
export const scopeId = (session: string, agent: string): string => `${session}/${agent}`

export const ENDED_REASONS = ['finished', 'overflow', 'superseded', 'continued', 'orphaned'] as const
export type EndedReason = (typeof ENDED_REASONS)[number]

/** How full a context window is, as its client measures it. */
export interface ContextMeasure {
  /** From 0, empty, to 1, full. */
  readonly usage: number
  readonly tokens: number | undefined
  /** The size of the context in tokens. */
  readonly window: number | undefined
}

/** The default silence after which a session is stale. */
export const STALE_AFTER_SECONDS = 300

/** Milliseconds since the last sign of life of a session. */
export const silenceOf = (session: Pick<Session, 'last_heartbeat' | 'created_at'>, now: number): number =>
  now - Date.parse(session.last_heartbeat ?? session.created_at)

/** Whether a session is the user's own terminal; it tells no heartbeat, so its silence says nothing. */
export const isTerminal = ({ native_id, agent_id }: Pick<Session, 'native_id' | 'agent_id'>): boolean =>
  native_id === null && agent_id === null

/** A session of which nothing is known. */
export const BLANK_SESSION: Session = {
  id: 0,
  task_id: '',
  effort_id: 0,
  prev_session_id: null,
  pid: null,
  heartbeat_counter: 0,
  last_heartbeat: null,
  context_usage: null,
  loaded_files: [],
  changed_files: [],
  todos: [],
  dehydration_payload: null,
  native_id: null,
  client: null,
  agent_id: null,
  created_at: '',
  ended_at: null,
  ended_reason: null,
  open_calls: [],
  context_told: 0,
  told_directives: [],
  lost_efforts: [],
  scope_of: null,
  workplace_id: 0,
}
