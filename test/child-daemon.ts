import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { connectTo } from '../src/cli/daemon/connect.ts'
import { findHome } from '../src/daemon/home.ts'
import { ENTRY, type User } from './holdfast.ts'

/** A daemon as our own child process, so that we see how it ends. */
export async function running(user: User, options: { entry?: string; env?: object } = {}) {
  const child = spawn(process.execPath, [options.entry ?? ENTRY, 'daemon', 'run'], {
    env: { ...user.env, ...options.env },
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const home = findHome(user.env)
  for (;;) {
    const connection = await connectTo(home)
    if (connection !== undefined) return { child, ended, home, connection }
    await sleep(10)
  }
}

/** What the log says of an error. */
export interface LoggedError {
  readonly code?: string
  readonly stack?: string
  readonly cause?: LoggedError | string
}

interface LogEntry extends LoggedError {
  readonly time: string
  readonly level: string
  readonly pid: number
  readonly event: string
}

/** The log of a user's daemon. */
export const logOf = (user: User) =>
  readFileSync(findHome(user.env).log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogEntry)
