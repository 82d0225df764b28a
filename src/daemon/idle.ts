import { anyOpenSession } from '../store/session.ts'
import type { Store } from '../store/store.ts'
import type { Home } from './home.ts'

const LOOK_AT_LATEST_MILLISECONDS = 60_000

interface Watched {
  readonly home: Pick<Home, 'idleSeconds'>
  readonly store: Store
  /** How many calls there have been. */
  readonly calls: () => number
  /** How many callers are there. */
  readonly connections: () => number
  readonly onIdle: () => void
}

/**
 * Tells once that nobody has needed this daemon for as long as the user wants it to wait; never while a session is
 * open, because its next hooks would go unheard. By the time that has passed, whatever the clock says.
 */
export function watchIdle({ home, store, calls, connections, onIdle }: Watched): { stop(): void } {
  if (home.idleSeconds === undefined) return { stop: () => undefined }
  const patience = home.idleSeconds * 1000
  let known = { calls: calls(), at: performance.now() }
  const look = async () => {
    if (calls() !== known.calls || connections() > 0) known = { calls: calls(), at: performance.now() }
    if (performance.now() < known.at + patience) return
    const open = await store.transact((tx) => anyOpenSession(tx, {}), { reads: true })
    // Somebody may have come meanwhile.
    if (open !== undefined || calls() !== known.calls || connections() > 0) return
    clearInterval(timer)
    onIdle()
  }
  const timer = setInterval(
    () => void look().catch(() => undefined),
    Math.min(patience / 4, LOOK_AT_LATEST_MILLISECONDS),
  ).unref()
  return { stop: () => clearInterval(timer) }
}
