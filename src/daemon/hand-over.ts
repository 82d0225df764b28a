import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { DaemonProgram } from '../engine/call/context.ts'
import { EngineError } from '../model/error.ts'

/** The open sockets that a successor takes over, at which callers wait meanwhile. */
export interface Inherited {
  readonly socket: number
  readonly http?: number
}

/** What a successor prints when it only waits for the lock. */
export const READY = 'ready'
const READY_WITHIN_MILLISECONDS = 30_000
/** Prevents a broken program from being tried with every command. */
const AGAIN_AFTER_MILLISECONDS = 60_000

interface OpenDoor {
  /** Undefined after closing. */
  readonly descriptor: number | undefined
}

/** The descriptors that a successor needs to listen in our place. */
export function doorsOf({ descriptor: socket }: OpenDoor, { descriptor: http }: OpenDoor): Inherited {
  if (socket === undefined) throw new EngineError('unavailable', 'This daemon is stopping.')
  return { socket, ...(http !== undefined && { http }) }
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/** Starts the next daemon while this one keeps serving until that one is ready. */
export class HandOver {
  #child: Child | undefined
  #starting: Promise<number> | undefined
  #failed: { readonly at: number; readonly error: unknown } | undefined
  /** Whether a successor waits for us to stop. */
  isReady = false

  /** Concurrent calls share one successor. */
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

  /** Ends a successor that is not ready, because a stopping daemon must not be replaced. */
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
