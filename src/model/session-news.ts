import { changedAfter, loadedAfter } from './loaded-files.ts'
import { type CallNews, openAfter } from './open-call.ts'
import type { Session } from './session.ts'
import { type TodoNews, todosAfter } from './todo-list.ts'

/** Changes of a session by its tool calls, not yet in its row. */
export interface SessionNews {
  readonly beats: number
  readonly lastHeartbeat?: string
  readonly contextUsage?: number
  readonly loadedFiles: readonly string[]
  readonly changedFiles: readonly string[]
  readonly todos?: TodoNews
  /** News only, because known calls may not be on disk yet. Each start is a beat. */
  readonly calls: readonly CallNews[]
}

/** A session with the news applied. */
export function sessionAfter(session: Session, news: Partial<SessionNews>): Session {
  const { open, begun } =
    news.calls === undefined || news.calls.length === 0
      ? { open: session.open_calls, begun: 0 }
      : openAfter(session.open_calls, news.calls)
  return {
    ...session,
    heartbeat_counter: session.heartbeat_counter + (news.beats ?? 0) + begun,
    last_heartbeat: news.lastHeartbeat ?? session.last_heartbeat,
    context_usage: news.contextUsage ?? session.context_usage,
    loaded_files: loadedAfter(session.loaded_files, news.loadedFiles ?? []),
    changed_files: changedAfter(session.changed_files, news.changedFiles ?? []),
    todos: news.todos === undefined ? session.todos : todosAfter({ todos: session.todos }, news.todos).todos,
    open_calls: open,
  }
}
