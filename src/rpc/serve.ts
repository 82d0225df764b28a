import { createServer, type Server, type Socket } from 'node:net'
import { readLines } from './lines.ts'
import {
  answer,
  failure,
  INVALID_REQUEST,
  notification,
  PARSE_ERROR,
  type RpcError,
  type RpcId,
  toRequest,
  TOO_LARGE,
} from './message.ts'
import { type Limits, LIMITS, overLimit } from './scan.ts'

/** The other end of one connection, as the dispatcher sees it. */
export interface Peer {
  notify(method: string, params: unknown): Promise<void>
  readonly gone: AbortSignal
  readonly deadline: number
}

export interface ServeOptions {
  readonly dispatch: (method: string, params: unknown, peer: Peer) => Promise<unknown>
  readonly toError: (error: unknown) => RpcError
  readonly limits?: Limits
  readonly maxConnections?: number
  /** A message that has begun must be complete within this time. */
  readonly frameMilliseconds?: number
  /** What a caller does not read is kept up to here, then it is cut off. */
  readonly maxUnreadBytes?: number
  /** The deadline of a call that does not name one. */
  readonly deadlineMilliseconds?: number
}

type Settings = Required<ServeOptions>

const DEFAULTS = {
  limits: LIMITS,
  maxConnections: 1000,
  frameMilliseconds: 30_000,
  maxUnreadBytes: 8_388_608,
  deadlineMilliseconds: 30_000,
}

/** JSON-RPC 2.0, one message a line. Knows nothing of what the methods do. */
export class RpcServer {
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  readonly #settings: Settings

  constructor(options: ServeOptions) {
    this.#settings = { ...DEFAULTS, ...options }
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      const connection = new Connection(socket, this.#settings)
      this.#connections.add(connection)
      socket.on('close', () => void this.#connections.delete(connection))
    })
    this.#server.maxConnections = this.#settings.maxConnections
  }

  get connections(): number {
    return this.#connections.size
  }

  listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(path, () => resolve())
    })
  }

  /** No new calls; those under way are answered, then the connections end. */
  async close(graceMilliseconds: number): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()))
    const patience = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy()
    }, graceMilliseconds)
    for (const connection of this.#connections) connection.finish()
    await closed
    clearTimeout(patience)
  }
}

class Connection {
  readonly #socket: Socket
  readonly #settings: Settings
  readonly #gone = new AbortController()
  #underWay = 0
  #finishing = false

  constructor(socket: Socket, settings: Settings) {
    this.#socket = socket
    this.#settings = settings
    const lines = readLines(socket, settings.limits.bytes, {
      onLine: (line) => this.#onLine(line),
      onTooLong: () => this.#refuse(TOO_LARGE, `A message may have ${settings.limits.bytes} bytes.`),
    })
    const slow = setInterval(
      () => lines.pendingBytes() > 0 && this.#checkSlow(lines.pendingBytes()),
      settings.frameMilliseconds,
    )
    socket.on('error', () => socket.destroy())
    socket.on('end', () => this.finish())
    socket.on('close', () => {
      clearInterval(slow)
      this.#gone.abort()
    })
  }

  /** Ends the connection once everything under way is answered. */
  finish(): void {
    this.#finishing = true
    if (this.#underWay === 0) this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #slowBytes = 0

  /** The same incomplete message at two looks in a row has had its time. */
  #checkSlow(bytes: number): void {
    if (this.#slowBytes > 0) this.#refuse(INVALID_REQUEST, 'The message did not arrive in time.')
    this.#slowBytes = bytes
  }

  #onLine(line: Buffer): void {
    this.#slowBytes = 0
    if (this.#finishing) return
    const over = overLimit(line, this.#settings.limits)
    const value = over === undefined ? parse(line) : undefined
    if (value !== undefined) void this.#handle(value.json)
    else if (over === undefined)
      this.#write(failure(null, { code: PARSE_ERROR, message: 'The message is not JSON.' }))
    else
      this.#write(
        failure(null, {
          code: TOO_LARGE,
          message: `A message may have ${over} up to ${this.#settings.limits[over]}.`,
        }),
      )
  }

  async #handle(value: unknown): Promise<void> {
    this.#underWay++
    const reply = Array.isArray(value) ? await this.#batch(value) : await this.#one(value)
    if (reply !== undefined) this.#write(reply)
    this.#underWay--
    if (this.#finishing) this.finish()
  }

  async #batch(values: readonly unknown[]): Promise<unknown> {
    const { batch } = this.#settings.limits
    if (values.length === 0)
      return failure(null, { code: INVALID_REQUEST, message: 'A batch must not be empty.' })
    if (values.length > batch)
      return failure(null, { code: TOO_LARGE, message: `A batch may have ${batch} calls.` })
    const replies = (await Promise.all(values.map((value) => this.#one(value)))).filter(
      (reply) => reply !== undefined,
    )
    return replies.length === 0 ? undefined : replies
  }

  async #one(value: unknown): Promise<unknown> {
    const request = toRequest(value)
    if ('problem' in request) return failure(request.id, { code: INVALID_REQUEST, message: request.problem })
    const { id, method, params } = request
    const wait = Math.min(request.deadline_ms ?? Infinity, this.#settings.deadlineMilliseconds)
    const peer: Peer = {
      notify: (name, news) => this.#notify(name, news),
      gone: this.#gone.signal,
      deadline: Date.now() + wait,
    }
    const reply = await this.#settings.dispatch(method, params, peer).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: this.#settings.toError(error) }),
    )
    if (id === undefined) return undefined
    return 'error' in reply ? failure(id, reply.error) : answer(id, reply.result)
  }

  #notify(method: string, params: unknown): Promise<void> {
    if (this.#socket.destroyed || this.#write(notification(method, params))) return Promise.resolve()
    return new Promise((resolve) => {
      this.#socket.once('drain', resolve)
      this.#gone.signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** Whether the other end can take more at once. */
  #write(message: unknown): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return true
    const flowing = this.#socket.write(encode(message))
    if (this.#socket.writableLength > this.#settings.maxUnreadBytes) this.#socket.destroy()
    return flowing
  }

  #refuse(code: number, message: string): void {
    this.#write(failure(null as RpcId, { code, message }))
    this.#socket.destroySoon()
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parse(line: Buffer): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(utf8.decode(line)) as unknown }
  } catch {
    return undefined
  }
}

const encode = (message: unknown): string => `${JSON.stringify(message)}\n`
