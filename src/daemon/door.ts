import { closeSync } from 'node:fs'
import type { HttpStatus } from '../engine/call/context.ts'
import { EngineError } from '../model/error.ts'
import type { HttpOptions, HttpServer } from '../rpc/http.ts'
import type { Home } from './home.ts'
import { keptKeys, type Keys, newKeys, readKeys, writeKeys } from './keys.ts'
import { errorDetails, type Log } from './log.ts'
import type { Served } from './routes/served.ts'

/** Opening late lets the daemon answer its first call sooner. */
const OPEN_AFTER_MILLISECONDS = 100
const TRIES = 20

interface DoorOptions {
  readonly home: Home
  readonly log: Log
  readonly served: Served
  /** Which callers are turned away or dropped. */
  readonly callers: Pick<HttpOptions, 'refusal' | 'onDrop' | 'maxStrangers' | 'maxConnections'>
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
  /** The port that another program had when this daemon started. */
  #lost: number | undefined

  constructor(options: DoorOptions) {
    this.#options = options
  }

  openSoon(): void {
    const { home, inherited } = this.#options
    if (!home.opensHttp) this.#problem = 'HTTP is off.'
    else if (inherited !== undefined) this.#opening = this.#open(readKeys, inherited)
    else this.#wait = setTimeout(() => void (this.#opening = this.#open(keptIn)), OPEN_AFTER_MILLISECONDS)
  }

  get descriptor(): number | undefined {
    return this.#server?.descriptor
  }

  get status(): HttpStatus {
    return {
      listening: this.#server !== undefined,
      port: this.#keys?.port ?? null,
      problem: this.#problem ?? null,
      lost_port: this.#lost ?? null,
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
    this.#use(newKeys({ port: this.#known().port }))
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
      await this.#listen(known, inherited)
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

  async #listen(known: Partial<Keys>, inherited: number | undefined): Promise<void> {
    // Loaded late, because the first answer does not need it.
    const [{ HttpServer }, { routes }] = await Promise.all([
      import('../rpc/http.ts'),
      import('./routes/index.ts'),
    ])
    const { served, callers } = this.#options
    const server = new HttpServer({
      routes: routes(served),
      tokens: () => this.#known(),
      onError: served.toError,
      ...callers,
    })
    if (inherited !== undefined) {
      // Callers at this port already have the keys, and nobody else had the port since.
      this.#keys = newKeys({ ...known, port: await server.listen({ fd: inherited }) })
      this.#server = server
      if (known.hook === undefined || known.full === undefined) this.#use(this.#keys)
      return
    }
    for (let tries = 1, kept = known; ; tries++) {
      const keys = newKeys(kept)
      const { port } = (this.#keys = keys)
      try {
        await server.listen(port)
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
        if (tries === TRIES)
          throw new EngineError('unavailable', `Port ${port} is used by another program.`, { cause: error })
        // The other program may have been sent a token of settings, so none stays.
        kept = {}
        if (port === known.port) this.#noteLost(port)
        continue
      }
      this.#server = server
      // Only now is the port ours: whoever had it until now would be sent the new token.
      this.#use(keys)
      return
    }
  }

  #use(keys: Keys): void {
    this.#keys = keys
    writeKeys(this.#options.home, keys)
  }

  #noteLost(port: number): void {
    this.#lost = port
    this.#options.log.write('warn', 'another program has the port; new port and tokens', { port })
  }
}

const keptIn = (home: Home): Partial<Keys> => keptKeys(readKeys(home))
