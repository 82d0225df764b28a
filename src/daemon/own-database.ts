import { statSync } from 'node:fs'
import type { Home } from './home.ts'

const LOOK_EVERY_MILLISECONDS = 1000

/**
 * Tells when the file of the embedded database is no longer the one that was opened: what is written then would be
 * gone with this process. Looked at by name only, because opening it would drop SQLite's locks.
 */
export function watchDatabase({ database, isPostgres }: Home, onGone: () => void): { stop(): void } {
  if (isPostgres) return { stop: () => undefined }
  const opened = statSync(database).ino
  const look = setInterval(() => {
    if (statSync(database, { throwIfNoEntry: false })?.ino === opened) return
    clearInterval(look)
    onGone()
  }, LOOK_EVERY_MILLISECONDS).unref()
  return { stop: () => clearInterval(look) }
}
