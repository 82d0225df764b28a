import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { EngineError } from '../model/error.ts'
import { makeRoomToStart } from './ballast.ts'
import { checkWritable, type Home, preparePrivateFolders } from './home.ts'

const SQLITE_BUSY = 5
const SQLITE_FULL = 13
/** Two daemons that start together see each other; without a wait, both would give up. */
const PATIENCE_MILLISECONDS = 100

export interface Lock {
  /** Whether its file did not exist; a daemon whose lock was removed may still serve. */
  readonly isNew: boolean
  release(): void
}

/** Locks the home for this process; undefined if another daemon has it. */
export function claimHome(home: Home, patience = PATIENCE_MILLISECONDS): Lock | undefined {
  process.umask(0o077)
  preparePrivateFolders(home)
  checkWritable(home.folder)
  makeRoomToStart(home)
  return takeLock(home.lock, patience)
}

/**
 * Picks one of several callers to start the daemon; undefined if another caller is starting it. The turn ends with
 * the process at the latest.
 */
export function claimTurn({ turn }: Home): Lock | undefined {
  try {
    // Created here, because SQLite would use the caller's umask.
    closeSync(openSync(turn, 'a', 0o600))
    return takeLock(turn, 0)
  } catch {
    // If nothing can be written, starting the daemon reports why, so no caller needs to wait.
    return { isNew: false, release: () => undefined }
  }
}

/**
 * INV_DAEMON_IS_THE_LOCK: the holder of this lock is the daemon. It is a database because SQLite uses kernel locks,
 * which end with the process, so no pid file is needed.
 */
function takeLock(path: string, patience: number): Lock | undefined {
  const isNew = !existsSync(path)
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
  return { isNew, release: () => held.close() }
}
