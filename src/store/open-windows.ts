import type { Session } from '../model/session.ts'
import { sessionAfter, type SessionNews } from '../model/session-news.ts'
import type { Watch } from '../model/watch.ts'
import type { Tx } from './query.ts'

interface OpenWindow {
  readonly session: Session
  readonly watch: Watch
}

const MOST_KEPT = 1000

/**
 * The open windows of client sessions as they are now, so that a hook that nothing comes of costs no transaction.
 * Only where nobody but this process could change them, which is the embedded database.
 */
export class OpenWindows {
  readonly #windows = new Map<string, OpenWindow>()
  readonly #natives = new Map<number, string>()

  get(native: string): OpenWindow | undefined {
    return this.#windows.get(native)
  }

  /** A transaction has found a window open; what others of its commit did may still be undone with it. */
  keep(tx: Tx, native: string, window: OpenWindow): void {
    if (tx.kind !== 'sqlite') return
    if (this.#windows.size >= MOST_KEPT) this.invalidate()
    const before = this.#windows.get(native)
    if (before !== undefined) this.#natives.delete(before.session.id)
    this.#windows.set(native, window)
    this.#natives.set(window.session.id, native)
    tx.onRollback(() => this.invalidate(window.session.id))
  }

  /** News of a session are news of its window. */
  add(session: number, news: Partial<SessionNews>): void {
    const native = this.#natives.get(session)
    const window = native === undefined ? undefined : this.#windows.get(native)
    if (native === undefined || window === undefined) return
    this.#windows.set(native, { ...window, session: sessionAfter(window.session, news) })
  }

  /**
   * Whoever changes the row of a session, or what its window is watched for, says so here: from then on only the
   * database knows. Without a session all are forgotten.
   */
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
}
