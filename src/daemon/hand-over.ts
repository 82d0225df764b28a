import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { DaemonProgram } from '../engine/call/context.ts'
import { EngineError } from '../model/error.ts'

/** What a daemon goes on with that takes over: the doors at which callers wait while nobody answers. */
export interface Inherited {
  readonly socket: number
  readonly http?: number
}

/** What a successor says when all that is missing is the lock. */
export const READY = 'ready'
const READY_WITHIN_MILLISECONDS = 30_000
/** A program that cannot be a daemon is not tried with every command of its user. */
const AGAIN_AFTER_MILLISECONDS = 60_000

interface OpenDoor {
  /** Undefined once it is closed. */
  readonly descriptor: number | undefined
}

/** What a successor must be given to listen where we do. */
export function doorsOf({ descriptor: socket }: OpenDoor, { descriptor: http }: OpenDoor): Inherited {
  if (socket === undefined) throw new EngineError('unavailable', 'This daemon is stopping.')
  return { socket, ...(http !== undefined && { http }) }
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/** Starts the daemon that comes after this one, which goes on until that one is ready. */
export class HandOver {
  #child: Child | undefined
  #starting: Promise<number> | undefined
  #failed: { readonly at: number; readonly error: unknown } | undefined
  /** Whether somebody waits for us to stop. */
  isReady = false

  /** Whoever asks meanwhile gets the same one. */
  start(program: DaemonProgram, doors: Inherited): Promise<number> {
    if (this.#failed !== undefined && performance.now() < this.#failed.at + AGAIN_AFTER_MILLISECONDS)
      return Promise.reject(this.#failed.error)
    this.#starting ??= this.#start(program, doors).catch((error: unknown) => {
      this.#starting = undefined
      this.#failed = { at: performance.now(), error }
      throw error
    })
    return this.#starting
  }

  /** A daemon that is told to stop is not followed by one that nobody has asked for any more. */
  cancel(): void {
    if (!this.isReady) this.#child?.kill()
  }

  async #start({ node, entry }: DaemonProgram, { socket, http }: Inherited): Promise<number> {
    const words = ['daemon', 'run', '--socket-fd', '3', ...(http === undefined ? [] : ['--http-fd', '4'])]
    const child = spawn(node, [...process.execArgv, entry, ...words], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', socket, ...(http === undefined ? [] : [http])],
    }) as Child
    this.#child = child
    try {
      await untilReady(child)
    } catch (error) {
      child.kill('SIGKILL')
      const why = error instanceof Error ? error.message : String(error)
      throw new EngineError('unavailable', `${entry} cannot take over: ${why}`.replace(/\.*$/, '.'), {
        hint: 'holdfast doctor',
      })
    } finally {
      child.unref()
      for (const pipe of [child.stdout, child.stderr]) pipe.destroy()
    }
    this.isReady = true
    return child.pid ?? 0
  }
}

function untilReady(child: Child): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('it was not ready in time')), READY_WITHIN_MILLISECONDS)
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      clearTimeout(late)
      if (text.trim() === READY) resolve()
      else reject(new Error(`it printed ${JSON.stringify(text.slice(0, 80))}`))
    })
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(late)
      reject(new Error(said.trim() === '' ? `it exited with ${code ?? 'a signal'}` : said.trim()))
    })
  })
}
