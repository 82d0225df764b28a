import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/**
 * INV_DAEMON_IS_THE_LOCK: who holds this is the daemon. It is a database only because SQLite's locks are the
 * kernel's: they end with the process, however it ends, and no pid file has to be believed.
 */
export function takeLock(path: string): { release(): void } | undefined {
  const db = new DatabaseSync(path)
  try {
    db.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (error) {
    db.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined
    throw error
  }
  return { release: () => db.close() }
}
