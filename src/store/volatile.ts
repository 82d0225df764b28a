import { changedAfter, loadedAfter } from '../model/loaded-files.ts'
import type { CallNews } from '../model/open-call.ts'
import type { ContextMeasure, Session } from '../model/session.ts'
import { sessionAfter, type SessionNews } from '../model/session-news.ts'
import { messagesAfter, type NewMessage } from '../model/transcript.ts'
import { todosAfter } from '../model/todo-list.ts'
import { OpenWindows } from './open-windows.ts'
import type { Tx } from './query.ts'

/** Pending state of a session that its row does not have yet. */
export interface Pending extends SessionNews {
  readonly messages: readonly NewMessage[]
}

/** The result of a call with a key. */
export interface KnownKey {
  readonly key: string
  readonly method: string
  readonly digest: string
  readonly result: string
}

interface Taken {
  readonly sessions: ReadonlyMap<number, Pending>
  readonly keys: ReadonlyMap<string, KnownKey>
}

/** Changed in place, because a busy session adds too much to copy on each call. */
type Growing = Pending & { readonly calls: CallNews[] }

const nothing = (): Growing => ({ beats: 0, loadedFiles: [], changedFiles: [], messages: [], calls: [] })
const MOST_HEARD = 10_000

/** State that changes with every tool call: kept in memory, written atomically within a second. */
export class Volatile {
  readonly openWindows = new OpenWindows()
  #sessions = new Map<number, Growing>()
  #keys = new Map<string, KnownKey>()
  /** Kept after the write, because a reader may still see the old row. */
  readonly #heard = new Map<number, string>()
  /** The last context measurement of a client; only the used share is stored on disk. */
  readonly #measures = new Map<number, ContextMeasure>()
  /** Sessions that were reminded since their last log entry. */
  readonly #reminded = new Set<number>()
  /** Keys that are being written, which are neither pending nor readable on disk. */
  readonly #flushing = new Map<string, KnownKey>()
  /** Sessions that a flush is writing; other connections still see the old rows. */
  readonly #onTheirWay = new Map<number, Pending>()
  /** The sessions of the last flush. */
  #lastWritten: Taken['sessions'] = new Map()

  isEmpty(): boolean {
    return this.#sessions.size === 0 && this.#keys.size === 0
  }

  add(session: number, news: Partial<Pending>): void {
    this.#sessions.set(session, join(this.#sessions.get(session) ?? nothing(), news))
    this.openWindows.add(session, news)
    if (news.lastHeartbeat === undefined) return
    if (this.#heard.size >= MOST_HEARD) this.#heard.clear()
    this.#heard.set(session, news.lastHeartbeat)
  }

  /** The last activity of a session, as far as this process knows. */
  heardAt(session: number): string | undefined {
    return this.#heard.get(session)
  }

  /** A client measures often, so only a change is stored. */
  measure(session: Session, measure: ContextMeasure): void {
    if (this.#measures.size >= MOST_HEARD) this.#measures.clear()
    this.#measures.set(session.id, measure)
    if (this.overlay(session).context_usage !== measure.usage)
      this.add(session.id, { contextUsage: measure.usage })
  }

  /** The last context usage that the client of a session reported to this process. */
  measureOf(session: number): ContextMeasure | undefined {
    return this.#measures.get(session)
  }

  /** Notes that the agent of a session was reminded to write to its log; after a restart it is reminded again. */
  remind(session: number): void {
    if (this.#reminded.size >= MOST_HEARD) this.#reminded.clear()
    this.#reminded.add(session)
    this.openWindows.invalidate(session)
  }

  isReminded(session: number): boolean {
    return this.#reminded.has(session)
  }

  /** The agent wrote to its log, or has another effort. */
  forgetReminder(session: number): void {
    this.#reminded.delete(session)
    this.openWindows.invalidate(session)
  }

  /** Drops the state of a rolled-back session, because its id may be reused. */
  forget(session: number): void {
    this.#sessions.delete(session)
    this.#onTheirWay.delete(session)
    this.#heard.delete(session)
    this.#measures.delete(session)
    this.#reminded.delete(session)
  }

  remember(key: KnownKey): void {
    this.#keys.set(key.key, key)
  }

  recall(key: string): KnownKey | undefined {
    return this.#keys.get(key) ?? this.#flushing.get(key)
  }

  /** A session row with its pending state applied. */
  overlay(session: Session): Session {
    const [onItsWay, pending] = [this.#onTheirWay.get(session.id), this.#sessions.get(session.id)]
    const before =
      onItsWay === undefined || isWritten(session, onItsWay) ? session : sessionAfter(session, onItsWay)
    return pending === undefined ? before : sessionAfter(before, pending)
  }

  /** The sessions with pending state. */
  waiting(): readonly number[] {
    return [...this.#sessions.keys()]
  }

  /** Moves the pending state of sessions into a transaction; a rollback restores it. */
  take(tx: Tx, ids: readonly number[]): Taken['sessions'] {
    const sessions = new Map<number, Growing>()
    for (const id of ids) {
      const pending = this.#sessions.get(id)
      if (pending !== undefined) sessions.set(id, pending)
      this.#sessions.delete(id)
    }
    tx.onRollback(() => {
      for (const [id, old] of sessions) this.#sessions.set(id, join(old, this.#sessions.get(id) ?? nothing()))
    })
    return sessions
  }

  /** The same for a flush, with all keys; readers find the state here until it is written. */
  takeForBeat(tx: Tx, ids: readonly number[]): Taken {
    const taken = { sessions: this.take(tx, ids), keys: this.#keys }
    this.#keys = new Map()
    for (const [key, known] of taken.keys) this.#flushing.set(key, known)
    for (const [id, old] of taken.sessions) this.#onTheirWay.set(id, old)
    tx.onRollback(() => {
      for (const [key, known] of taken.keys) this.#keys.set(key, known)
      for (const key of taken.keys.keys()) this.#flushing.delete(key)
      this.#drop(taken.sessions)
    })
    return taken
  }

  /** Marks the taken state as written; a reader may still hold rows from before, so it stays until the next flush. */
  written({ sessions, keys }: Taken): void {
    for (const key of keys.keys()) this.#flushing.delete(key)
    this.#drop(this.#lastWritten)
    // Without a heartbeat, nothing tells whether a row has it already.
    this.#drop(new Map([...sessions].filter(([, { lastHeartbeat }]) => lastHeartbeat === undefined)))
    this.#lastWritten = sessions
  }

  #drop(sessions: Taken['sessions']): void {
    for (const [id, old] of sessions) if (this.#onTheirWay.get(id) === old) this.#onTheirWay.delete(id)
  }
}

/** Whether a row was read after the last flush reached it. */
const isWritten = ({ last_heartbeat: last }: Session, { lastHeartbeat }: Pending): boolean =>
  last !== null && lastHeartbeat !== undefined && last >= lastHeartbeat

function join(old: Growing, news: Partial<Pending>): Growing {
  for (const one of news.calls ?? []) old.calls.push(one)
  return {
    ...old,
    ...news,
    beats: old.beats + (news.beats ?? 0),
    loadedFiles: loadedAfter(old.loadedFiles, news.loadedFiles ?? []),
    changedFiles: changedAfter(old.changedFiles, news.changedFiles ?? []),
    ...(news.todos !== undefined && { todos: todosAfter(old.todos, news.todos) }),
    messages: messagesAfter(old.messages, news.messages ?? []),
    calls: old.calls,
  }
}
