import { closeSync } from 'node:fs'
import type { HttpStatus } from '../engine/call/context.ts'
import { EngineError } from '../model/error.ts'
import type { Opened } from '../rpc/descriptor.ts'
import { HeldPort } from '../rpc/held-port.ts'
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
  #opening: Promise<void> | undefined
  /** Our port, while nobody serves it yet. */
  #held: HeldPort | undefined
  #server: HttpServer | undefined
  #keys: Keys | undefined
  #problem: string | undefined
  /** The port that another program had when this daemon started. */
  #lost: number | undefined

  constructor(options: DoorOptions) {
    this.#options = options
  }

  /** Takes the port, at which callers wait; from the first answer of the daemon on, a hook must find it. */
  async hold(): Promise<void> {
    const { home, inherited } = this.#options
    if (!home.opensHttp) this.#problem = 'HTTP is off.'
    else if (inherited === undefined) await this.#try(() => this.#hold(keptIn(home)))
  }

  openSoon(): void {
    const { home, inherited } = this.#options
    if (inherited !== undefined && home.opensHttp) this.#opening = this.#try(() => this.#inherit(inherited))
    if (this.#held === undefined) return
    this.#wait = setTimeout(() => void this.open(), OPEN_AFTER_MILLISECONDS)
    void this.#held.called.then(() => this.open())
  }

  /** Serves the callers that wait at the port. */
  open(): Promise<void> {
    clearTimeout(this.#wait)
    return (this.#opening ??= this.#try(() => this.#serveHeld()))
  }

  get descriptor(): number | undefined {
    return this.#server?.descriptor
  }

  get status(): HttpStatus {
    return {
      listening: (this.#server ?? this.#held) !== undefined,
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
      this.#opening = this.#try(async () => {
        await this.#hold({})
        await this.#serveHeld()
      })
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
    this.#held?.close()
    await this.#server?.close(graceMilliseconds)
  }

  async #try(work: () => Promise<void>): Promise<void> {
    const { log } = this.#options
    try {
      await work()
    } catch (error) {
      this.#held?.close()
      this.#held = undefined
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

  async #hold(kept: Partial<Keys>): Promise<void> {
    const { port: before } = kept
    for (let tries = 1; ; tries++) {
      const keys = newKeys(kept)
      const { port } = keys
      try {
        this.#held = await HeldPort.take(port)
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
        if (tries === TRIES)
          throw new EngineError('unavailable', `Port ${port} is used by another program.`, { cause: error })
        // The other program may have been sent a token of settings, so none stays.
        kept = {}
        if (port === before) this.#noteLost(port)
        continue
      }
      // Only now is the port ours; before, its owner would have received the new token.
      this.#use(keys)
      return
    }
  }

  async #serveHeld(): Promise<void> {
    const held = this.#held
    if (held === undefined) return
    await this.#listen(held)
    this.#held = undefined
  }

  /** Callers at this port already have the keys, and nobody else had the port since. */
  async #inherit(fd: number): Promise<void> {
    const known = readKeys(this.#options.home)
    try {
      this.#keys = newKeys({ ...known, port: await this.#listen({ fd }) })
    } catch (error) {
      // No caller may wait at a port that nobody serves.
      if (this.#server === undefined) closeSync(fd)
      throw error
    }
    if (known.hook === undefined || known.full === undefined) this.#use(this.#keys)
  }

  async #listen(where: HeldPort | Opened): Promise<number> {
    // Loaded late, because the first answer does not need it.
    const [{ HttpServer }, { routes }] = await Promise.all([
      import('../rpc/http.ts'),
      import('./routes/index.ts'),
    ])
    const { served, callers, log } = this.#options
    const server = new HttpServer({
      routes: routes(served),
      tokens: () => this.#known(),
      onError: served.toError,
      ...callers,
    })
    const port = await server.listen(where)
    this.#server = server
    log.write('debug', 'http listening', { port })
    return port
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
