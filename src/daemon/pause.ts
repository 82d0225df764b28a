import { readFileSync, rmSync, statSync } from 'node:fs'
import { timestamp } from '../model/clock.ts'
import { makeRoomToStart } from './ballast.ts'
import { type Home, preparePrivateFolders } from './home.ts'
import { writeWhole } from './write-whole.ts'

/**
 * Until when nothing is enforced, in milliseconds since 1970; undefined where nothing is paused. Asked at every hook,
 * so that the file is read only when it has changed.
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

/** Needs no daemon: what a daemon does wrong must be possible to stop without it. */
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
    // A file that says nothing pauses nothing.
    return undefined
  }
}
