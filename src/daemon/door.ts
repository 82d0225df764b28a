import { closeSync } from 'node:fs'
import type { HttpStatus } from '../engine/call/context.ts'
import { EngineError } from '../model/error.ts'
import type { HttpOptions, HttpServer } from '../rpc/http.ts'
import type { Home } from './home.ts'
import { type Keys, newKeys, readKeys, writeKeys } from './keys.ts'
import { errorDetails, type Log } from './log.ts'
import type { Served } from './routes/served.ts'

/** Opening late lets the daemon answer its first call sooner. */
const OPEN_AFTER_MILLISECONDS = 100
const TRIES = 20

interface DoorOptions extends Pick<HttpOptions, 'refusal'> {
  readonly home: Home
  readonly log: Log
  readonly served: Served
  /** The descriptor of the previous daemon, at which callers wait. */
  readonly inherited?: number
}

/** The loopback HTTP server of a daemon. If it fails, the daemon continues and reports the problem. */
export class Door {
  readonly #options: DoorOptions
  #wait: NodeJS.Timeout | undefined
  #opening: Promise<void> = Promise.resolve()
  #server: HttpServer | undefined
  #keys: Keys | undefined
  #problem: string | undefined

  constructor(options: DoorOptions) {
    this.#options = options
  }

  openSoon(): void {
    const { home, inherited } = this.#options
    if (!home.opensHttp) this.#problem = 'HTTP is off.'
    else if (inherited !== undefined) this.#opening = this.#open(readKeys, inherited)
    else this.#wait = setTimeout(() => void (this.#opening = this.#open(readKeys)), OPEN_AFTER_MILLISECONDS)
  }

  get descriptor(): number | undefined {
    return this.#server?.descriptor
  }

  get status(): HttpStatus {
    return {
      listening: this.#server !== undefined,
      port: this.#keys?.port ?? null,
      problem: this.#problem ?? null,
    }
  }

  /** Replaces the tokens; the port stays, unless the server could not listen on it. */
  rotate(): void {
    const { home } = this.#options
    if (this.#server === undefined && this.#problem !== undefined && home.opensHttp) {
      this.#problem = undefined
      this.#opening = this.#open(() => ({}))
      return
    }
    const keys = newKeys({ port: this.#known().port })
    writeKeys(home, keys)
    this.#keys = keys
  }

  /** Tells the server whether a successor is about to take over. */
  leave(isLeft: boolean): void {
    this.#server?.leave(isLeft)
  }

  async close(graceMilliseconds: number): Promise<void> {
    clearTimeout(this.#wait)
    await this.#opening
    await this.#server?.close(graceMilliseconds)
  }

  /** Closes the inherited descriptor if listening on it fails. */
  async #open(read: (home: Home) => Partial<Keys>, inherited?: number): Promise<void> {
    const { home, log } = this.#options
    try {
      const known = read(home)
      this.#server = await this.#listen(known, inherited)
      if (known.hook === undefined || known.full === undefined) writeKeys(home, this.#known())
      log.write('debug', 'http listening', { port: this.#known().port })
    } catch (error) {
      // No caller can know unwritten tokens, and no caller may wait at a closed server.
      if (this.#server === undefined && inherited !== undefined) closeSync(inherited)
      await this.#server?.close(0)
      this.#server = undefined
      this.#problem = error instanceof Error ? error.message : String(error)
      log.write('warn', 'http not listening', errorDetails(error))
    }
  }

  #known(): Keys {
    if (this.#keys !== undefined) return this.#keys
    const why = this.#problem ?? 'It is not listening yet.'
    throw new EngineError('unavailable', `This daemon does not serve HTTP. ${why}`, {
      hint: 'holdfast doctor',
    })
  }

  async #listen(known: Partial<Keys>, inherited: number | undefined): Promise<HttpServer> {
    // Loaded late, because the first answer does not need it.
    const [{ HttpServer }, { routes }] = await Promise.all([
      import('../rpc/http.ts'),
      import('./routes/index.ts'),
    ])
    const { served, refusal } = this.#options
    const server = new HttpServer({
      routes: routes(served),
      tokens: () => this.#known(),
      onError: served.toError,
      ...(refusal !== undefined && { refusal }),
    })
    if (inherited !== undefined) {
      this.#keys = newKeys({ ...known, port: await server.listen({ fd: inherited }) })
      return server
    }
    for (let tries = 1; ; tries++) {
      this.#keys = newKeys(known)
      const { port } = this.#keys
      try {
        await server.listen(port)
        return server
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
        if (known.port !== undefined || tries === TRIES)
          throw new EngineError('unavailable', `Port ${port} is used by another program.`, { cause: error })
      }
    }
  }
}
