import { appendFileSync, renameSync, statSync } from 'node:fs'
import { EngineError } from '../model/error.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The size at which a log is rotated, and the number of old logs that are kept. */
const MOST_BYTES = 5_242_880
const OLD_LOGS = 3

/** Limits repeats, because a failure of every hook would fill the disk with the same stack. */
const SAME_AGAIN_AFTER_MILLISECONDS = 60_000
const MOST_KNOWN = 1000
const MOST_WAITING = 20

/** The daemon log: one line of JSON for each event; repeated failures are counted. */
export interface Log {
  write(level: LogLevel, event: string, details?: Details): void
  close(): void
}

type Details = Readonly<Record<string, unknown>>

interface Told {
  readonly level: LogLevel
  readonly event: string
  readonly at: number
  repeated: number
}

interface LogOptions {
  /** The lowest level that is written. */
  readonly least?: string
  readonly now?: () => number
  readonly maxBytes?: number
}

const DEFAULT_LEVEL: LogLevel = 'info'

/** An unknown level is logged and replaced by the default, so that a typo cannot stop the hooks. */
export function openLog(path: string, options: LogOptions = {}): Log {
  const { least = DEFAULT_LEVEL, now = Date.now, maxBytes = MOST_BYTES } = options
  const given = LOG_LEVELS.find((known) => known === least)
  const from = LOG_LEVELS.indexOf(given ?? DEFAULT_LEVEL)
  const told = new Map<string, Told>()
  const append = appender(path, maxBytes)
  append(
    given === undefined
      ? logLine('warn', 'unknown log level', { given: least, taken: DEFAULT_LEVEL, known: LOG_LEVELS })
      : '',
  )
  return {
    write(level, event, details = {}) {
      if (LOG_LEVELS.indexOf(level) < from) return
      if (level !== 'warn' && level !== 'error') return append(logLine(level, event, details))
      const what = `${event} ${sentencesOf(details)}`
      const known = told.get(what)
      // A clock that was set back must not suppress messages for longer.
      if (known !== undefined && Math.abs(now() - known.at) < SAME_AGAIN_AFTER_MILLISECONDS)
        return void known.repeated++
      if (told.size >= MOST_KNOWN) told.clear()
      told.set(what, { level, event, at: now(), repeated: 0 })
      append(
        logLine(level, event, {
          ...details,
          ...((known?.repeated ?? 0) > 0 && { repeated: known?.repeated }),
        }),
      )
    },
    close() {
      for (const { level, event, repeated } of told.values())
        if (repeated > 0) append(logLine(level, event, { repeated }))
    },
  }
}

/** Opens the file for each line; lines that cannot be written wait for the next one that can. */
function appender(path: string, maxBytes: number): (line: string) => void {
  let waiting: readonly string[] = []
  return (line) => {
    try {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= maxBytes) rotate(path)
      // A partial line must not corrupt the next one.
      appendFileSync(path, [...waiting, line].join(''), { mode: 0o600 })
      waiting = []
    } catch {
      if (waiting.length < MOST_WAITING) waiting = [...(waiting.length === 0 ? ['\n'] : waiting), line]
    }
  }
}

/** The paths of the rotated logs, newest first. */
export const oldLogs = (path: string): readonly string[] =>
  Array.from({ length: OLD_LOGS }, (_, index) => `${path}.${index + 1}`)

/** Only renames files, which works on a full disk; the oldest is overwritten. */
function rotate(path: string): void {
  const names = [path, ...oldLogs(path)]
  for (let age = names.length - 1; age > 0; age--) {
    const [from = '', to = ''] = [names[age - 1], names[age]]
    if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, to)
  }
}

/** The text that identifies a failure, regardless of its stack. */
function sentencesOf({ problem, message, cause }: Details): string {
  const inner = typeof cause === 'object' && cause !== null ? sentencesOf(cause as Details) : ''
  return [problem, message, inner].filter((part) => typeof part === 'string').join(' ')
}

export const logLine = (level: LogLevel, event: string, details: Details): string =>
  `${JSON.stringify({ time: new Date().toISOString(), level, pid: process.pid, event, ...details })}\n`

/** The details of an error for the log. */
export function errorDetails(error: unknown): Details {
  if (!(error instanceof Error)) return { message: String(error) }
  return {
    ...(error instanceof EngineError && { code: error.code }),
    message: error.message,
    stack: error.stack,
    ...(error.cause instanceof Error && { cause: error.cause.stack }),
  }
}
