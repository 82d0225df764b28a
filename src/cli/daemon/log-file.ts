import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Level, LEVELS, oldLogs } from '../../daemon/log.ts'

/** One line of the daemon's log. */
export interface LogLine {
  readonly time: string
  readonly level: Level
  readonly pid: number
  readonly event: string
  readonly [detail: string]: unknown
}

const LOOK_EVERY_MILLISECONDS = 100

/** The newest lines of a log that are wanted, oldest first, from as many of its files as it takes. */
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
  /** What is written meanwhile is left to whoever goes on from there. */
  readonly until?: LogPlace
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // There may never have been so many.
    return ''
  }
}

/** What is no line of ours, such as half of one that a full disk has left, is passed over. */
function parseLines(text: string): LogLine[] {
  return text.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line) as LogLine
      return LEVELS.includes(value.level) ? [value] : []
    } catch {
      return []
    }
  })
}

/** Where a reader of a log has come to. */
export interface LogPlace {
  /** The file, whatever its name has become. */
  readonly ino: number | undefined
  readonly offset: number
}

export function endOf(path: string): LogPlace {
  const info = statSync(path, { throwIfNoEntry: false })
  return { ino: info?.ino, offset: info?.size ?? 0 }
}

/** Every line that is written from there on, for as long as somebody wants more; also when the file is moved away. */
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

/** What follows a place, as far as it is whole; nothing where another file has that name by now. */
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
