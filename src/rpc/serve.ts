import { createServer, type Server, type Socket } from 'node:net'
import { descriptorOf, type Opened } from './descriptor.ts'
import { type CallerLimits, Callers } from './callers.ts'
import { readLines } from './lines.ts'
import { answerTo, encode, type Peer, problem, readMessage, type Service } from './answer.ts'
import { INVALID_REQUEST, notification, TOO_LARGE, UNAVAILABLE } from './message.ts'
import { Outbox } from './outbox.ts'
import { type Limits, LIMITS } from './scan.ts'
import { Work } from './work.ts'

export interface ServeOptions {
  readonly dispatch: Service['dispatch']
  readonly toError: Service['toError']
  /** Says why a new caller cannot be served, or undefined; the caller gets the reason. */
  readonly refusal?: () => string | undefined
  /** Called with the number of open connections whenever it changes. */
  readonly onConnections?: (open: number) => void
  /** Called for each connection that is closed although its caller keeps it. */
  readonly onDrop?: CallerLimits['onDrop']
  readonly limits?: Limits
  /** The most connections without a message so far; the oldest give way. */
  readonly maxStrangers?: number
  /** The most connections with messages; the ones that were idle longest give way. */
  readonly maxConnections?: number
  /** The most messages of one connection in progress at once; others wait. */
  readonly maxUnderWay?: number
  /** The time to complete a message; it is enforced within twice this time. */
  readonly frameMilliseconds?: number
  /** The time in which a caller must read something of an answer; it is enforced within twice this time. */
  readonly unreadMilliseconds?: number
  /** The most bytes of an answer. */
  readonly maxUnreadBytes?: number
  /** The deadline of a call that does not name one. */
  readonly deadlineMilliseconds?: number
}

type Settings = Required<ServeOptions>

/** Of every wire. */
export const DEFAULTS = {
  refusal: (): string | undefined => undefined,
  onDrop: (): void => undefined,
  limits: LIMITS,
  maxStrangers: 512,
  maxConnections: 1000,
  maxUnderWay: 1000,
  frameMilliseconds: 30_000,
  unreadMilliseconds: 5000,
  maxUnreadBytes: 8_388_608,
  deadlineMilliseconds: 30_000,
}

/** How long a refused caller may keep sending before it is disconnected. */
export const LINGER_MILLISECONDS = 5000

/** Enough for a COMMIT that many share; with more, one caller would keep the others waiting. */
const UNDER_WAY_PER_CONNECTION = 32
/** Before it has read an answer. */
const FIRST_UNDER_WAY = 4

/** JSON-RPC 2.0, one message a line. Knows nothing of what the methods do. */
export class RpcServer {
  readonly #server: Server
  readonly #callers: Callers
  readonly #connections = new Set<Connection>()
  readonly #settings: Settings
  readonly #work = new Work()

  constructor(options: ServeOptions) {
    this.#settings = {
      ...DEFAULTS,
      maxUnderWay: UNDER_WAY_PER_CONNECTION,
      onConnections: () => undefined,
      ...options,
    }
    this.#callers = new Callers(this.#settings)
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      const connection = new Connection(socket, this.#settings, {
        begin: () => {
          this.#work.begin()
          this.#callers.begin(socket)
        },
        end: () => {
          this.#work.end()
          this.#callers.end(socket)
        },
      })
      this.#callers.add(socket)
      const why = this.#settings.refusal()
      if (why !== undefined) connection.turnAway(why)
      this.#connections.add(connection)
      this.#settings.onConnections(this.connections)
      socket.on('close', () => {
        this.#connections.delete(connection)
        this.#settings.onConnections(this.connections)
      })
    })
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
    for (const connection of this.#connections) connection.leave()
    await closed
    // A call continues after its caller disconnects.
    await Promise.race([this.#work.settled(), patience.promise])
    clearTimeout(timer)
    this.#callers.close()
  }
}

class Connection {
  readonly #socket: Socket
  readonly #settings: Settings
  readonly #work: Pick<Work, 'begin' | 'end'>
  readonly #outbox: Outbox
  readonly #gone = new AbortController()
  readonly #peer: Omit<Peer, 'deadline'> = {
    notify: (method, params) => this.#notify(method, params),
    gone: this.#gone.signal,
  }
  /** Messages that have come and not begun; reading pauses meanwhile, so they are few. */
  #waiting: Buffer[] = []
  #isBeginning = false
  #underWay = 0
  /** How many may be in progress at once. */
  #most = FIRST_UNDER_WAY
  #finishing = false
  #drained: PromiseWithResolvers<void> | undefined

  constructor(socket: Socket, settings: Settings, work: Pick<Work, 'begin' | 'end'>) {
    this.#socket = socket
    this.#settings = settings
    this.#work = work
    this.#outbox = new Outbox(socket, () => this.#onDrained())
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
      this.#drained?.resolve()
    })
  }

  /** Answers the first message with the reason; a silent caller is disconnected. */
  turnAway(why: string): void {
    this.#turnedAway = why
    this.#endSoon()
  }

  /** Closes the connection after all calls that have come are answered. */
  finish(): void {
    this.#finishing = true
    if (this.#underWay === 0 && this.#waiting.length === 0 && this.#outbox.isEmpty) this.#socket.end()
  }

  /** Closes the connection after all calls in progress are answered; their callers repeat the others. */
  leave(): void {
    this.#waiting = []
    this.finish()
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
    if (this.#mayBegin && this.#waiting.length === 0) return this.#read(line)
    this.#waiting.push(line)
    this.#socket.pause()
  }

  get #mayBegin(): boolean {
    return this.#underWay < Math.min(this.#most, this.#settings.maxUnderWay) && !this.#outbox.isFull
  }

  #read(line: Buffer): void {
    const message = readMessage(line, this.#settings.limits)
    if ('json' in message) void this.#handle(message.json)
    else this.#write(problem(message.problem.code, message.problem.message))
  }

  /** Others get their turn before the messages of this caller that wait. */
  #beginSoon(): void {
    if (this.#isBeginning || this.#waiting.length === 0) return
    this.#isBeginning = true
    setImmediate(() => {
      this.#isBeginning = false
      const begun = this.#waiting
      this.#waiting = []
      while (begun.length > 0 && this.#mayBegin) this.#read(begun.shift() ?? Buffer.alloc(0))
      this.#waiting = [...begun, ...this.#waiting]
      if (this.#waiting.length === 0) this.#socket.resume()
      if (this.#finishing) this.finish()
    })
  }

  async #handle(value: unknown): Promise<void> {
    this.#underWay++
    this.#work.begin()
    const reply = await answerTo(value, this.#settings, this.#peer)
    // Encoded when it is sent, so that nothing is encoded for a caller that does not read or is gone.
    if (reply !== undefined) this.#outbox.push(() => encode(reply, this.#settings))
    // A caller that reads its answers may ask for more at once.
    this.#most = this.#outbox.isFull ? 1 : Math.min(this.#most * 2, this.#settings.maxUnderWay)
    this.#underWay--
    this.#work.end()
    this.#goOn()
  }

  #goOn(): void {
    if (this.#mayBegin) this.#beginSoon()
    if (this.#finishing) this.finish()
  }

  #onDrained(): void {
    this.#drained?.resolve()
    this.#drained = undefined
    this.#goOn()
  }

  #notify(method: string, params: unknown): Promise<void> {
    this.#write(JSON.stringify(notification(method, params)))
    if (!this.#outbox.isFull || this.#socket.destroyed) return Promise.resolve()
    this.#drained ??= Promise.withResolvers<void>()
    return this.#drained.promise
  }

  #write(text: string): void {
    this.#outbox.push(() => text)
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
