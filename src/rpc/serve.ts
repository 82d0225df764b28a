import { createServer, type Server, type Socket } from 'node:net'
import { descriptorOf, type Opened } from './descriptor.ts'
import { readLines } from './lines.ts'
import { answerTo, encode, type Peer, problem, readMessage, type Service } from './answer.ts'
import { INVALID_REQUEST, notification, TOO_LARGE, UNAVAILABLE } from './message.ts'
import { type Limits, LIMITS } from './scan.ts'
import { Work } from './work.ts'

export interface ServeOptions {
  readonly dispatch: Service['dispatch']
  readonly toError: Service['toError']
  /** Says why a new caller cannot be served, or undefined; the caller gets the reason. */
  readonly refusal?: () => string | undefined
  /** Called with the number of open connections whenever it changes. */
  readonly onConnections?: (open: number) => void
  readonly limits?: Limits
  readonly maxConnections?: number
  /** The most messages of one connection in progress at once; reading pauses at the limit. */
  readonly maxUnderWay?: number
  /** The time to complete a message; it is enforced within twice this time. */
  readonly frameMilliseconds?: number
  /** The most unread bytes that are kept for a caller before it is disconnected. */
  readonly maxUnreadBytes?: number
  /** The deadline of a call that does not name one. */
  readonly deadlineMilliseconds?: number
}

type Settings = Required<ServeOptions>

/** Of every wire. */
export const DEFAULTS = {
  refusal: (): string | undefined => undefined,
  limits: LIMITS,
  maxConnections: 1000,
  maxUnderWay: 1000,
  frameMilliseconds: 30_000,
  maxUnreadBytes: 8_388_608,
  deadlineMilliseconds: 30_000,
}

/** How long a refused caller may keep sending before it is disconnected. */
export const LINGER_MILLISECONDS = 5000

/** JSON-RPC 2.0, one message a line. Knows nothing of what the methods do. */
export class RpcServer {
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  readonly #settings: Settings
  readonly #work = new Work()

  constructor(options: ServeOptions) {
    this.#settings = { ...DEFAULTS, onConnections: () => undefined, ...options }
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      const connection = new Connection(socket, this.#settings, this.#work)
      const why = this.#settings.refusal()
      if (why !== undefined) connection.turnAway(why)
      this.#connections.add(connection)
      this.#settings.onConnections(this.connections)
      socket.on('close', () => {
        this.#connections.delete(connection)
        this.#settings.onConnections(this.connections)
      })
    })
    this.#server.maxConnections = this.#settings.maxConnections
  }

  get connections(): number {
    return this.#connections.size
  }

  get descriptor(): number | undefined {
    return descriptorOf(this.#server)
  }

  listen(where: string | Opened): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(typeof where === 'string' ? { path: where } : where, () => {
        this.#server.off('error', reject)
        // A failed accept must not affect other callers.
        this.#server.on('error', () => undefined)
        resolve()
      })
    })
  }

  /** Accepts no new calls, answers those in progress, then closes the connections. */
  async close(graceMilliseconds: number): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()))
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy()
      patience.resolve()
    }, graceMilliseconds)
    for (const connection of this.#connections) connection.finish()
    await closed
    // A call continues after its caller disconnects.
    await Promise.race([this.#work.settled(), patience.promise])
    clearTimeout(timer)
  }
}

class Connection {
  readonly #socket: Socket
  readonly #settings: Settings
  readonly #work: Work
  readonly #gone = new AbortController()
  readonly #peer: Omit<Peer, 'deadline'> = {
    notify: (method, params) => this.#notify(method, params),
    gone: this.#gone.signal,
  }
  #underWay = 0
  #finishing = false
  #drained: Promise<void> | undefined

  constructor(socket: Socket, settings: Settings, work: Work) {
    this.#socket = socket
    this.#settings = settings
    this.#work = work
    const lines = readLines(socket, settings.limits.bytes, {
      onLine: (line) => this.#onLine(line),
      onTooLong: () => this.#refuse(TOO_LARGE, `A message may have at most ${settings.limits.bytes} bytes.`),
    })
    const slow = setInterval(
      () => lines.pendingBytes() > 0 && this.#checkSlow(lines.pendingBytes()),
      settings.frameMilliseconds,
    )
    socket.on('error', () => socket.destroy())
    socket.on('end', () => {
      if (lines.pendingBytes() > 0)
        this.#write(problem(INVALID_REQUEST, 'A message must end with a newline.'))
      this.finish()
    })
    socket.on('close', () => {
      clearInterval(slow)
      this.#gone.abort()
    })
  }

  /** Answers the first message with the reason; a silent caller is disconnected. */
  turnAway(why: string): void {
    this.#turnedAway = why
    this.#endSoon()
  }

  /** Closes the connection after all calls in progress are answered. */
  finish(): void {
    this.#finishing = true
    if (this.#underWay === 0) this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #turnedAway: string | undefined
  #slowBytes = 0

  /** A message that is incomplete at two checks in a row is too slow. */
  #checkSlow(bytes: number): void {
    if (this.#slowBytes > 0) this.#refuse(INVALID_REQUEST, 'The message did not arrive in time.')
    this.#slowBytes = bytes
  }

  #onLine(line: Buffer): void {
    this.#slowBytes = 0
    if (this.#finishing) return
    if (this.#turnedAway !== undefined) return this.#refuse(UNAVAILABLE, this.#turnedAway)
    const message = readMessage(line, this.#settings.limits)
    if ('json' in message) void this.#handle(message.json)
    else this.#write(problem(message.problem.code, message.problem.message))
  }

  async #handle(value: unknown): Promise<void> {
    this.#begin()
    const reply = await answerTo(value, this.#settings, this.#peer)
    // Encoded one at a time, so that nothing is encoded for a disconnected caller.
    if (reply !== undefined && !this.#socket.destroyed) this.#write(encode(reply, this.#settings))
    this.#end()
  }

  #begin(): void {
    this.#work.begin()
    if (++this.#underWay >= this.#settings.maxUnderWay) this.#socket.pause()
  }

  #end(): void {
    this.#work.end()
    if (--this.#underWay < this.#settings.maxUnderWay && this.#socket.isPaused()) this.#socket.resume()
    if (this.#finishing) this.finish()
  }

  #notify(method: string, params: unknown): Promise<void> {
    if (this.#write(JSON.stringify(notification(method, params)))) return Promise.resolve()
    this.#drained ??= new Promise((resolve) => {
      const done = () => {
        this.#socket.off('drain', done).off('close', done)
        this.#drained = undefined
        resolve()
      }
      this.#socket.on('drain', done).on('close', done)
    })
    return this.#drained
  }

  /** Whether the other end can take more at once. */
  #write(text: string): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return true
    const flowing = this.#socket.write(`${text}\n`)
    if (this.#socket.writableLength > this.#settings.maxUnreadBytes) this.#socket.destroy()
    return flowing || this.#socket.destroyed
  }

  /**
   * Stops reading messages after a protocol error. Discards further bytes for a while, because
   * closing on a sending caller would lose the answer.
   */
  #refuse(code: number, message: string): void {
    if (this.#finishing) return
    this.#write(problem(code, message))
    this.#socket.resume()
    this.finish()
    this.#endSoon()
  }

  #endSoon(): void {
    const timer = setTimeout(() => this.#socket.destroy(), LINGER_MILLISECONDS)
    this.#socket.on('close', () => clearTimeout(timer))
  }
}
