import { readFileSync, rmSync, statSync } from 'node:fs'
import { timestamp } from '../model/clock.ts'
import { makeRoomToStart } from './ballast.ts'
import { type Home, preparePrivateFolders } from './home.ts'
import { writeWhole } from './write-whole.ts'

/**
 * Returns until when enforcement is paused, in milliseconds since 1970, or undefined. Every hook asks, so the file is
 * read only after a change.
 */
export function pauseReader({ pause }: Pick<Home, 'pause'>): (now?: number) => number | undefined {
  let known: { readonly mark: string; readonly until: number | undefined } | undefined
  return (now = Date.now()) => {
    const info = statSync(pause, { throwIfNoEntry: false })
    if (info === undefined) return undefined
    const mark = `${info.ino} ${info.mtimeMs} ${info.size}`
    if (known?.mark !== mark) known = { mark, until: readUntil(pause) }
    return known.until !== undefined && known.until > now ? known.until : undefined
  }
}

/** Works without a daemon, because a pause must also help against a broken daemon. */
export function writePause(home: Home, until: number | undefined): void {
  if (until === undefined) return rmSync(home.pause, { force: true })
  preparePrivateFolders(home)
  makeRoomToStart(home)
  writeWhole(home.pause, `${JSON.stringify({ until: timestamp(until) })}\n`)
}

function readUntil(path: string): number | undefined {
  try {
    const { until } = JSON.parse(readFileSync(path, 'utf8')) as { until?: unknown }
    const time = typeof until === 'string' ? Date.parse(until) : Number.NaN
    return Number.isNaN(time) ? undefined : time
  } catch {
    // An unreadable file pauses nothing.
    return undefined
  }
}
