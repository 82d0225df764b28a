import { loadedAfter } from '../model/loaded-files.ts'
import type { CallNews } from '../model/open-call.ts'
import type { ContextMeasure, Session } from '../model/session.ts'
import { sessionAfter, type SessionNews } from '../model/session-news.ts'
import { messagesAfter, type NewMessage } from '../model/transcript.ts'
import { OpenWindows } from './open-windows.ts'
import type { Tx } from './query.ts'

/** What is known of a session beyond its row. */
export interface Pending extends SessionNews {
  readonly messages: readonly NewMessage[]
  /** How far the client's transcript was at the end of a turn, and when that was. */
  readonly transcript?: { readonly path: string; readonly offset: number; readonly at: string }
}

/** The answer that a call with a key was given. */
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

/** Added to in place: a busy session tells more within a beat than may be copied with each call. */
type Growing = Pending & { readonly calls: CallNews[] }

const nothing = (): Growing => ({ beats: 0, loadedFiles: [], messages: [], calls: [] })
const MOST_HEARD = 10_000

/** State that changes with every tool call: kept in memory, written within a second, never half written. */
export class Volatile {
  readonly openWindows = new OpenWindows()
  #sessions = new Map<number, Growing>()
  #keys = new Map<string, KnownKey>()
  /** Also after it was written, because a reader may still see the row as it was before. */
  readonly #heard = new Map<number, string>()
  /** All of what a client last measured; only the share of it that is used goes to the disk. */
  readonly #measures = new Map<number, ContextMeasure>()
  /** Keys on their way to the disk are found neither there nor, but for this, here. */
  readonly #flushing = new Map<string, KnownKey>()
  /** The same of sessions, where the beat writes them; other connections see their rows as they were. */
  readonly #onTheirWay = new Map<number, Pending>()

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

  /** When a session was last heard of, as far as this process knows. */
  heardAt(session: number): string | undefined {
    return this.#heard.get(session)
  }

  /** A client measures again and again; only what has changed is worth a commit. */
  measure(session: Session, measure: ContextMeasure): void {
    if (this.#measures.size >= MOST_HEARD) this.#measures.clear()
    this.#measures.set(session.id, measure)
    if (this.overlay(session).context_usage !== measure.usage)
      this.add(session.id, { contextUsage: measure.usage })
  }

  /** How full the window of a session was when its client last told this process. */
  measureOf(session: number): ContextMeasure | undefined {
    return this.#measures.get(session)
  }

  /** A session that is undone must leave nothing to the one that gets its number. */
  forget(session: number): void {
    this.#sessions.delete(session)
    this.#heard.delete(session)
    this.#measures.delete(session)
  }

  remember(key: KnownKey): void {
    this.#keys.set(key.key, key)
  }

  recall(key: string): KnownKey | undefined {
    return this.#keys.get(key) ?? this.#flushing.get(key)
  }

  /** A session as it is now, not as its row was a moment ago. */
  overlay(session: Session): Session {
    const [onItsWay, pending] = [this.#onTheirWay.get(session.id), this.#sessions.get(session.id)]
    const before =
      onItsWay === undefined || isWritten(session, onItsWay) ? session : sessionAfter(session, onItsWay)
    return pending === undefined ? before : sessionAfter(before, pending)
  }

  /** The sessions of which something is pending. */
  waiting(): readonly number[] {
    return [...this.#sessions.keys()]
  }

  /** Moves what is pending of sessions into a transaction; a rollback brings it back. */
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

  /** The same at a beat, with all keys; until it is written, others find it here. */
  takeForBeat(tx: Tx, ids: readonly number[]): Taken {
    const taken = { sessions: this.take(tx, ids), keys: this.#keys }
    this.#keys = new Map()
    for (const [key, known] of taken.keys) this.#flushing.set(key, known)
    for (const [id, old] of taken.sessions) this.#onTheirWay.set(id, old)
    tx.onRollback(() => {
      for (const [key, known] of taken.keys) this.#keys.set(key, known)
      this.written(taken)
    })
    return taken
  }

  /** What was taken is on disk. */
  written({ sessions, keys }: Taken): void {
    for (const key of keys.keys()) this.#flushing.delete(key)
    for (const id of sessions.keys()) this.#onTheirWay.delete(id)
  }
}

/** Whether a row was read after what was on its way to it has arrived. */
const isWritten = ({ last_heartbeat: last }: Session, { lastHeartbeat }: Pending): boolean =>
  last !== null && lastHeartbeat !== undefined && last >= lastHeartbeat

function join(old: Growing, news: Partial<Pending>): Growing {
  for (const one of news.calls ?? []) old.calls.push(one)
  return {
    ...old,
    ...news,
    beats: old.beats + (news.beats ?? 0),
    loadedFiles: loadedAfter(old.loadedFiles, news.loadedFiles ?? []),
    messages: messagesAfter(old.messages, news.messages ?? []),
    calls: old.calls,
  }
}
