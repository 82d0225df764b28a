import { DatabaseSync } from 'node:sqlite'
import { EngineError } from '../model/error.ts'
import { makeRoomToStart } from './ballast.ts'
import { type Home, preparePrivateFolders } from './home.ts'

const SQLITE_BUSY = 5
/** Of two that begin at the same moment each sees the other: without a moment's patience both would give up. */
const PATIENCE_MILLISECONDS = 100

export interface Lock {
  release(): void
}

/** Makes the home this process's own, or gives undefined where it is another daemon's. */
export function claimHome(home: Home, patience = PATIENCE_MILLISECONDS): Lock | undefined {
  process.umask(0o077)
  preparePrivateFolders(home)
  makeRoomToStart(home)
  return takeLock(home.lock, patience)
}

/**
 * INV_DAEMON_IS_THE_LOCK: who holds this is the daemon. It is a database only because SQLite's locks are the
 * kernel's: they end with the process, however it ends, and no pid file has to be believed.
 */
function takeLock(path: string, patience: number): Lock | undefined {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path)
    db.exec(`pragma busy_timeout = ${patience}; begin exclusive`)
  } catch (error) {
    db?.close()
    if (error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY)
      return undefined
    const why = error instanceof Error ? error.message : String(error)
    throw new EngineError('unavailable', `${path} cannot be locked: ${why}.`, {
      cause: error,
      hint: `Move ${path} away; nothing is kept in it.`,
    })
  }
  const held = db
  return { release: () => held.close() }
}
