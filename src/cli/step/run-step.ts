import { constants } from 'node:os'
import type { SessionEnvironment } from '../../model/environment.ts'
import { EngineError } from '../../model/error.ts'
import { cutTo } from '../../model/text/kept.ts'
import { asItBegan } from '../daemon/environment.ts'
import type { Io } from '../frame/io.ts'
import { contained } from '../install/contained.ts'

/** The command of a step, as the engine gives it to its runner. */
export interface StepRun {
  readonly effort_id: number
  readonly step: string
  readonly visit: number
  readonly command: string
  readonly folder: string
  /** What the command reads on stdin, as JSON. */
  readonly input: object
  readonly token: string
  /** What the session of an agent began in. */
  readonly environment?: SessionEnvironment
}

/** What a command says of its step; anything it does not say is as the plan has it. */
export interface StepResult {
  readonly outcome?: string
  readonly set?: Readonly<Record<string, string>>
  /** Why it failed. */
  readonly reason?: string
}

/** No step waits longer for its command, and reads more of it. */
const LONGEST_MILLISECONDS = 10 * 60_000
const MOST_BYTES = 1_000_000
/** A command that is stopped may tidy up for this long. */
const GRACE_MILLISECONDS = 2000

/** Runs the command of a step with JSON in and out, sandboxed where the project is locked. */
export async function runStep(io: Io, run: StepRun, longest = LONGEST_MILLISECONDS): Promise<StepResult> {
  const { spawn } = await import('node:child_process')
  const { command, folder, environment } = run
  const env = environment === undefined ? io.env : asItBegan(io.env, environment).env
  using held = contained(io, folder, ['/bin/sh', '-c', command])
  const [program, ...words] = held.words
  const child = spawn(program, words, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const [out, err] = [new Tail(), new Tail()]
  child.stdout.on('data', (chunk: Buffer) => out.add(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.add(chunk))
  // A command may ignore what it is given.
  child.stdin.on('error', () => undefined).end(JSON.stringify(run.input))
  let stopped: 'late' | 'interrupted' | undefined
  let kill: NodeJS.Timeout | undefined
  const stop = (why: typeof stopped) => {
    stopped = why
    signalGroup(child.pid, 'SIGTERM')
    kill ??= setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MILLISECONDS)
  }
  const interrupt = () => stop('interrupted')
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt).once('SIGHUP', interrupt)
  const limit = setTimeout(() => stop('late'), longest)
  try {
    const code = await new Promise<number>((done, failed) => {
      child.on('error', (error) =>
        failed(new EngineError('not-found', `Cannot run a command in ${folder}: ${error.message}.`)),
      )
      const ended = (exit: number | null, signal: NodeJS.Signals | null) =>
        done(exit ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 0))
      child.on('close', ended)
      // Background processes of the command may keep its output open forever.
      child.on('exit', (...how) => void setTimeout(() => ended(...how), 500).unref())
    })
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
    // The next print runs it again.
    if (stopped === 'interrupted')
      throw new EngineError('conflict', 'The command of the step was interrupted, so it has no result.')
    if (stopped === 'late') return failed(`It did not end within ${Math.round(longest / 1000)} seconds.`)
    return code === 0 ? resultIn(out) : failed(lastLine(err) ?? lastLine(out) ?? `It exited with ${code}.`)
  } finally {
    clearTimeout(limit)
    clearTimeout(kill)
    // The command may be gone while something that it started ignores the first signal.
    if (stopped !== undefined) signalGroup(child.pid, 'SIGKILL')
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('SIGHUP', interrupt)
  }
}

/** The command with everything that it started. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}

/** The end of an output; what is more than a result may have is not kept. */
class Tail {
  bytes = 0
  #kept = Buffer.alloc(0)

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    this.#kept = Buffer.concat([this.#kept, chunk]).subarray(-MOST_BYTES)
  }

  get text(): string {
    return this.#kept.toString('utf8').replaceAll('\0', '')
  }
}

const LONGEST_REASON = 1000

const failed = (reason: string): StepResult => ({ outcome: 'fail', reason: cutTo(reason, LONGEST_REASON) })

const lastLine = ({ text }: Tail): string | undefined =>
  text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '')

/** `{"outcome": "ok", "state": {"name": "value"}}`, or nothing. */
function resultIn(out: Tail): StepResult {
  if (out.bytes > MOST_BYTES) return failed(`It printed more than ${MOST_BYTES} bytes.`)
  if (out.text.trim() === '') return {}
  const said = parsed(out.text)
  if (said === undefined) return failed(`It printed no JSON object: ${lastLine(out) ?? ''}`)
  const { outcome, state = {}, ...others } = said
  const [other] = Object.keys(others)
  if (other !== undefined) return failed(`Its result has ${other}; it may have outcome and state.`)
  if (outcome !== undefined && typeof outcome !== 'string') return failed('Its outcome is not a text.')
  const set = valuesIn(state)
  if (set === undefined) return failed('Its state is not an object of texts, numbers and booleans.')
  return { ...(outcome !== undefined && { outcome }), ...(Object.keys(set).length > 0 && { set }) }
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text) as unknown
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

function valuesIn(state: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return undefined
  const pairs = Object.entries(state)
  const isPlain = pairs.every(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return isPlain ? Object.fromEntries(pairs.map(([name, value]) => [name, String(value)])) : undefined
}
