import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { EngineError } from '../model/error.ts'
import { makeRoomToStart } from './ballast.ts'
import { checkWritable, type Home, preparePrivateFolders } from './home.ts'

const SQLITE_BUSY = 5
const SQLITE_FULL = 13
/** Of two that begin at the same moment each sees the other: without a moment's patience both would give up. */
const PATIENCE_MILLISECONDS = 100

export interface Lock {
  release(): void
}

/** Makes the home this process's own, or gives undefined where it is another daemon's. */
export function claimHome(home: Home, patience = PATIENCE_MILLISECONDS): Lock | undefined {
  process.umask(0o077)
  preparePrivateFolders(home)
  checkWritable(home.folder)
  makeRoomToStart(home)
  return takeLock(home.lock, patience)
}

/**
 * Of many callers that find no daemon the one that starts it: undefined where that is another, whose turn ends with
 * its process at the latest.
 */
export function claimTurn({ turn }: Home): Lock | undefined {
  try {
    // Made here, because SQLite would let others read it where the umask of the caller does.
    closeSync(openSync(turn, 'a', 0o600))
    return takeLock(turn, 0)
  } catch {
    // Where nothing can be written, whoever starts a daemon is told why, and nobody needs to wait for that.
    return { release: () => undefined }
  }
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
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
    if (code === SQLITE_BUSY) return undefined
    if (code === SQLITE_FULL)
      throw new EngineError('storage-full', `The disk of ${dirname(path)} is full, so no daemon can start.`, {
        cause: error,
        hint: 'Free some space and repeat the call.',
      })
    const why = error instanceof Error ? error.message : String(error)
    throw new EngineError('unavailable', `${path} cannot be locked: ${why}.`, {
      cause: error,
      hint: `Move ${path} away; it holds no data.`,
    })
  }
  const held = db
  return { release: () => held.close() }
}
