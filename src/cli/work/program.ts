import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { Io } from '../frame/io.ts'

/** How a program ended, with the end of what it said. */
export interface Ended {
  readonly code: number
  readonly tail: string
}

const LONGEST_TAIL = 1500
const GRACE_MILLISECONDS = 5000

/**
 * Runs a program in a folder, as the head of a group of processes that ends with it. `signal` ends
 * the group. All that it says goes to the log.
 */
export async function runProgram(
  env: Io['env'],
  given: {
    readonly words: readonly [string, ...string[]]
    readonly cwd: string
    readonly input?: string
    readonly log: string
    readonly signal: AbortSignal
  },
): Promise<Ended> {
  const { words, cwd, input = '', log, signal } = given
  const out = createWriteStream(log, { flags: 'a' })
  const [program, ...more] = words
  const child = spawn(program, more, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const stop = () => killGroup(child)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  let tail = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      out.write(text)
      tail = (tail + text).slice(-LONGEST_TAIL)
    })
  // A program that does not read its input is no failure.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const code = await new Promise<number>((done) => {
    child.on('error', () => done(127))
    child.on('close', (status) => done(status ?? 128))
  })
  signal.removeEventListener('abort', stop)
  // What the command has left running must not go on in a folder that is taken away.
  endGroup(child, 'SIGKILL')
  out.end()
  await finished(out)
  return { code, tail: tail.trim() }
}

function killGroup(child: ChildProcess): void {
  endGroup(child, 'SIGTERM')
  setTimeout(() => endGroup(child, 'SIGKILL'), GRACE_MILLISECONDS).unref()
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended.
  }
}
