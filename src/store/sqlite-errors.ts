import { EngineError } from '../model/error.ts'

/** The primary result code of an error of SQLite. */
export const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined

export const SQLITE_BUSY = 5
export const SQLITE_IOERR = 10
const SQLITE_FULL = 13
/** Locked, no memory, read-only, I/O error, corrupt, cannot open, protocol, not a database. */
const SQLITE_OUTSIDE = new Set([6, 7, 8, 10, 11, 14, 15, 26])

/** Converts machine failures to engine errors, so that callers can tell a full disk from a bug. */
export function explain(error: unknown): never {
  const code = codeOf(error)
  if (code === SQLITE_BUSY)
    throw new EngineError('unavailable', 'Another program has locked the database; nothing was changed.', {
      cause: error,
      hint: 'End that program or its transaction, then repeat the call.',
    })
  if (code === SQLITE_FULL)
    throw new EngineError('storage-full', 'The disk is full; nothing was changed.', {
      cause: error,
      hint: 'Free some space and repeat the call.',
    })
  if (!(error instanceof Error) || code === undefined || !SQLITE_OUTSIDE.has(code)) throw error
  throw new EngineError('unavailable', `The database failed: ${error.message}.`, {
    cause: error,
    hint: 'holdfast doctor',
  })
}
