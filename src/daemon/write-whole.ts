import { writeFileSync } from 'node:fs'
import { placeForNow, placeSync } from '../files/place.ts'
import { EngineError } from '../model/error.ts'
import { osErrorOf } from '../model/os-error.ts'

/** Writes a small private file atomically. */
export function writeWhole(path: string, content: string | Buffer, mode = 0o600): void {
  explained(path, () => placeSync(path, (fresh) => writeFileSync(fresh, content, { mode, flush: true })))
}

/** The same for what nobody needs after a power cut. */
export function writeForNow(path: string, content: string): void {
  explained(path, () => placeForNow(path, (fresh) => writeFileSync(fresh, content, { mode: 0o600 })))
}

function explained(path: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    throw notWritten(path, error, 'holdfast doctor')
  }
}

/** The error for a file that cannot be written, which is a problem of the machine, not a bug. */
export function notWritten(path: string, error: unknown, hint?: string): EngineError {
  const known = osErrorOf(error)
  const why =
    known === undefined ? (error instanceof Error ? error.message : String(error)) : `it ${known.is}`
  const next = known?.code === 'storage-full' ? known.hint : (hint ?? known?.hint)
  return new EngineError(
    known?.code === 'storage-full' ? 'storage-full' : 'unavailable',
    `${path} cannot be written: ${why.replace(/\.$/, '')}.`,
    { cause: error, ...(next !== undefined && { hint: next }) },
  )
}
