import { createWriteStream } from 'node:fs'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const
type Level = (typeof LEVELS)[number]

/** A line of JSON for each thing worth knowing afterwards. */
export interface Log {
  write(level: Level, event: string, details?: Readonly<Record<string, unknown>>): void
  close(): Promise<void>
}

export function openLog(path: string, least = 'info'): Log {
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 })
  // A full disk must not end the daemon because it cannot say so.
  stream.on('error', () => undefined)
  const from = Math.max(0, LEVELS.indexOf(least as Level))
  return {
    write(level, event, details = {}) {
      if (LEVELS.indexOf(level) < from) return
      stream.write(logLine(level, event, details))
    },
    close: () => new Promise((resolve) => void stream.end(() => resolve())),
  }
}

export const logLine = (level: Level, event: string, details: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify({ time: new Date().toISOString(), level, pid: process.pid, event, ...details })}\n`

/** All that a log can keep of an error. */
export function errorDetails(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) }
  return {
    message: error.message,
    stack: error.stack,
    ...(error.cause instanceof Error && { cause: error.cause.stack }),
  }
}
