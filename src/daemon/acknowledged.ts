import { closeSync, existsSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { uptime } from 'node:os'
import type { Kept } from '../store/file-watch.ts'

/** Every line has this length, so that a shorter one leaves nothing of a longer one. */
const LINE_BYTES = 160

/** What the last daemon kept, and whether it can be compared with the disk. */
export interface Left extends Kept {
  /** A machine that lost its power may have lost times of files too. */
  readonly isComparable: boolean
}

/**
 * Keeps how far changes were acknowledged, in a file beside the database. It is written after each COMMIT without
 * fsync, so it survives a kill, and after a power failure it may be old, but it never says too much.
 */
export function keeper(path: string, left: Kept | undefined): (news: Partial<Kept>) => void {
  let kept: Kept = { seq: left?.seq ?? 0, database: left?.database, isClosed: false }
  let file: number | undefined
  return (news) => {
    kept = { ...kept, isClosed: false, ...news }
    try {
      file ??= openSync(path, existsSync(path) ? 'r+' : 'w+', 0o600)
      writeSync(file, `${JSON.stringify(kept).padEnd(LINE_BYTES - 1)}\n`, 0)
      if (!kept.isClosed) return
      fsyncSync(file)
      closeSync(file)
      file = undefined
    } catch {
      // A full disk must not undo a change; the next one tries again.
    }
  }
}

/** What the last daemon kept; undefined if there was none, or if the file is not whole. */
export function readKept(path: string): Left | undefined {
  try {
    const { seq, database, isClosed } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Kept>
    if (seq === undefined || isClosed === undefined) return undefined
    const isOfThisBoot = statSync(path).mtimeMs >= Date.now() - uptime() * 1000
    return { seq, database, isClosed, isComparable: isClosed || isOfThisBoot }
  } catch {
    return undefined
  }
}
