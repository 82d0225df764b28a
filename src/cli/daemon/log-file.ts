import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LogLevel, LOG_LEVELS, oldLogs } from '../../daemon/log.ts'

/** One line of the daemon's log. */
export interface LogLine {
  readonly time: string
  readonly level: LogLevel
  readonly pid: number
  readonly event: string
  readonly [detail: string]: unknown
}

const LOOK_EVERY_MILLISECONDS = 100

/** The newest matching lines of a log, oldest first, from as many of its files as needed. */
export function lastLines(path: string, count: number, wish: LogWish): readonly LogLine[] {
  const { isWanted, until = endOf(path) } = wish
  const newest = Buffer.from(wholeLines(path, { ...until, offset: 0 })).subarray(0, until.offset)
  const parts = [parseLines(newest.toString('utf8')).filter(isWanted)]
  for (const old of oldLogs(path)) {
    if (parts.flat().length >= count) break
    parts.unshift(parseLines(textOf(old)).filter(isWanted))
  }
  return count === 0 ? [] : parts.flat().slice(-count)
}

interface LogWish {
  readonly isWanted: (line: LogLine) => boolean
  /** The end of what was read, where `--follow` continues. */
  readonly until?: LogPlace
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Older files may not exist.
    return ''
  }
}

/** Skips invalid lines, such as a partial line from a full disk. */
function parseLines(text: string): LogLine[] {
  return text.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line) as LogLine
      return LOG_LEVELS.includes(value.level) ? [value] : []
    } catch {
      return []
    }
  })
}

/** A position in a log. */
export interface LogPlace {
  /** The inode of the file, which survives a rename. */
  readonly ino: number | undefined
  readonly offset: number
}

export function endOf(path: string): LogPlace {
  const info = statSync(path, { throwIfNoEntry: false })
  return { ino: info?.ino, offset: info?.size ?? 0 }
}

/** Yields every new line from a position on, also across a rotation. */
export async function* linesAfter(path: string, place: LogPlace): AsyncGenerator<LogLine> {
  let { ino, offset } = place
  for (;;) {
    const now = endOf(path).ino
    if (now !== undefined && now !== ino) {
      for (const old of oldLogs(path)) yield* parseLines(wholeLines(old, { ino, offset }))
      ino = now
      offset = 0
    }
    const text = wholeLines(path, { ino, offset })
    offset += Buffer.byteLength(text)
    yield* parseLines(text)
    if (text === '') await sleep(LOOK_EVERY_MILLISECONDS)
  }
}

/** The complete lines after a position; none if the file was replaced. */
function wholeLines(path: string, { ino, offset }: LogPlace): string {
  if (ino === undefined || endOf(path).ino !== ino) return ''
  const file = openSync(path, 'r')
  try {
    const info = fstatSync(file)
    if (info.ino !== ino) return ''
    const bytes = Buffer.alloc(Math.max(0, info.size - offset))
    const length = readSync(file, bytes, 0, bytes.length, offset)
    return bytes.subarray(0, bytes.lastIndexOf('\n', length) + 1).toString('utf8')
  } finally {
    closeSync(file)
  }
}
