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
  /** Asked for each caller that comes: why it cannot be served, which it is told, or undefined. */
  readonly refusal?: () => string | undefined
  /** Told how many connections are open, whenever that changes. */
  readonly onConnections?: (open: number) => void
  readonly limits?: Limits
  readonly maxConnections?: number
  /** So many messages of one connection are worked on at once; the next are read when some are answered. */
  readonly maxUnderWay?: number
  /** A message that has begun must be complete within this time, or within twice of it at the latest. */
  readonly frameMilliseconds?: number
  /** What a caller does not read is kept up to here, then it is cut off. */
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

/** How long a caller that was refused may go on sending before it is cut off. */
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
        // One caller that could not be accepted is no reason to leave the others.
        this.#server.on('error', () => undefined)
        resolve()
      })
    })
  }

  /** No new calls; those under way are answered, then the connections end. */
  async close(graceMilliseconds: number): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()))
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy()
      patience.resolve()
    }, graceMilliseconds)
    for (const connection of this.#connections) connection.finish()
    await closed
    // A caller that left does not end what it asked for.
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

  /** What it asks is answered with the reason; whoever asks nothing does not keep its place. */
  turnAway(why: string): void {
    this.#turnedAway = why
    this.#endSoon()
  }

  /** Ends the connection once everything under way is answered. */
  finish(): void {
    this.#finishing = true
    if (this.#underWay === 0) this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #turnedAway: string | undefined
  #slowBytes = 0

  /** The same incomplete message at two looks in a row has had its time. */
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
    // Written out only now, one after the other, so that nothing is made for a caller that was cut off meanwhile.
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
   * Nothing more is read of what cannot be trusted to be a message. What still arrives is thrown away for a while:
   * closing on a caller that is sending would take the answer from it.
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
