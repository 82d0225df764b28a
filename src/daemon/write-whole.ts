import { writeFileSync } from 'node:fs'
import { placeSync } from '../files/place.ts'
import { EngineError } from '../model/error.ts'

/** Writes a small private file atomically. */
export function writeWhole(path: string, content: string | Buffer, mode = 0o600): void {
  try {
    placeSync(path, (fresh) => writeFileSync(fresh, content, { mode, flush: true }))
  } catch (error) {
    throw notWritten(path, error, 'holdfast doctor')
  }
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The error for a file that cannot be written, which is a problem of the machine, not a bug. */
export function notWritten(path: string, error: unknown, hint?: string): EngineError {
  const why = error instanceof Error ? error.message : String(error)
  if (error instanceof Error && 'code' in error && FULL.has(String(error.code)))
    return new EngineError('storage-full', `${path} cannot be written: the disk is full.`, {
      cause: error,
      hint: 'Free some space and run this again.',
    })
  return new EngineError('unavailable', `${path} cannot be written: ${why}.`, {
    cause: error,
    ...(hint !== undefined && { hint }),
  })
}
