import type { Session } from '../model/session.ts'
import { sessionAfter, type SessionNews } from '../model/session-news.ts'
import type { Watch } from '../model/watch.ts'
import { type Build, queryOne, type Tx } from './query.ts'

interface OpenWindow {
  readonly session: Session
  readonly watch: Watch
}

const MOST_KEPT = 1000

/**
 * A cache of the open windows of client sessions, so that a hook without effect costs no transaction. Used only with
 * the embedded database, where no other process can change them.
 */
export class OpenWindows {
  readonly #windows = new Map<string, OpenWindow>()
  readonly #natives = new Map<number, string>()

  get(native: string): OpenWindow | undefined {
    return this.#windows.get(native)
  }

  /** Remembers an open window that a transaction found; its commit may still be rolled back. */
  keep(tx: Tx, native: string, window: OpenWindow): void {
    if (tx.kind !== 'sqlite') return
    if (this.#windows.size >= MOST_KEPT) this.invalidate()
    const before = this.#windows.get(native)
    if (before !== undefined) this.#natives.delete(before.session.id)
    this.#windows.set(native, window)
    this.#natives.set(window.session.id, native)
    tx.onRollback(() => this.invalidate(window.session.id))
  }

  /** Updates the window when its session changes. */
  add(session: number, news: Partial<SessionNews>): void {
    const native = this.#natives.get(session)
    const window = native === undefined ? undefined : this.#windows.get(native)
    if (native === undefined || window === undefined) return
    this.#windows.set(native, { ...window, session: sessionAfter(window.session, news) })
  }

  /** Drops a window, or all of them; the database is then read again. */
  invalidate(session?: number): void {
    if (session === undefined) {
      this.#windows.clear()
      this.#natives.clear()
      return
    }
    const native = this.#natives.get(session)
    if (native !== undefined) this.#windows.delete(native)
    this.#natives.delete(session)
  }

  /** The same by the client's id of the session. */
  invalidateOf(native: string): void {
    const window = this.#windows.get(native)
    if (window !== undefined) this.invalidate(window.session.id)
  }
}

/** The memory that a change must reach; a parameter, so that no caller forgets it. */
export interface Memory {
  readonly openWindows: OpenWindows
}

/** A query that changes the row of a session. */
export const windowChange = <P extends { readonly id: number }, Row>(build: Build<P, Row>) =>
  changeOf(build, (windows, { id }) => windows.invalidate(id))

/** A query that changes what a client's session has given to sub-agents. */
export const delegationChange = <P extends { readonly session_id: string }, Row>(build: Build<P, Row>) =>
  changeOf(build, (windows, { session_id: native }) => windows.invalidateOf(native))

/** A query that changes what sessions are watched for. */
export const watchChange = <P extends object, Row>(build: Build<P, Row>) =>
  changeOf(build, (windows) => windows.invalidate())

function changeOf<P extends object, Row>(
  build: Build<P, Row>,
  drop: (windows: OpenWindows, params: P) => void,
): (tx: Tx, memory: Memory, params: P) => Promise<Row | undefined> {
  const change = queryOne(build)
  return (tx, { openWindows }, params) => {
    drop(openWindows, params)
    return change(tx, params)
  }
}
