import { createConnection, type Socket } from 'node:net'
import { readLines } from './lines.ts'
import type { RpcError } from './message.ts'

/** An error that the server returned. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: RpcError) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** The connection ended before the answer; the call may or may not have taken effect. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

interface Incoming {
  readonly id?: number | null
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: RpcError
}

export interface CallRequest {
  readonly method: string
  readonly params?: unknown
}

/** One end of a socket on which methods can be called. */
export class RpcConnection {
  readonly #socket: Socket
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #onNotification: (method: string, params: unknown) => void
  #last = 0
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>

  private constructor(socket: Socket, onNotification: (method: string, params: unknown) => void) {
    this.#socket = socket
    this.#onNotification = onNotification
    readLines(socket, Infinity, { onLine: (line) => this.#onLine(line), onTooLong: () => undefined })
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#rejectAll(new ConnectionLost('The daemon closed the connection.'))
        resolve()
      })
    })
  }

  static open(
    path: string,
    onNotification: (method: string, params: unknown) => void = () => undefined,
  ): Promise<RpcConnection> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(path)
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        // `close` always follows and reports the end of the connection.
        socket.on('error', () => undefined)
        resolve(new RpcConnection(socket, onNotification))
      })
    })
  }

  call(method: string, params: unknown = {}): Promise<unknown> {
    const { id, promise } = this.#expect()
    this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return promise
  }

  /** Sends several calls in one message. */
  callAll(requests: readonly CallRequest[]): Promise<readonly unknown[]> {
    const calls = requests.map((request) => ({ ...this.#expect(), request }))
    const message = calls.map(({ id, request }) => ({ jsonrpc: '2.0', id, params: {}, ...request }))
    this.#socket.write(`${JSON.stringify(message)}\n`)
    return Promise.all(calls.map(({ promise }) => promise))
  }

  close(): void {
    this.#socket.end()
  }

  /** Does not wait, because the server may never close its end. */
  abandon(): void {
    this.#socket.destroy()
  }

  #expect(): { id: number; promise: Promise<unknown> } {
    const id = ++this.#last
    const call = Promise.withResolvers<unknown>()
    if (this.#socket.destroyed) call.reject(new ConnectionLost('The connection is closed.'))
    else this.#waiting.set(id, call)
    return { id, promise: call.promise }
  }

  #onLine(line: Buffer): void {
    let value: Incoming | readonly Incoming[]
    try {
      value = JSON.parse(line.toString('utf8')) as typeof value
    } catch {
      // The other end is not a daemon that we can talk to.
      this.#socket.destroy()
      return
    }
    for (const message of Array.isArray(value) ? (value as readonly Incoming[]) : [value as Incoming])
      this.#take(message)
  }

  #take(message: Incoming): void {
    if (message.method !== undefined) return this.#onNotification(message.method, message.params)
    if (message.id === null && message.error !== undefined)
      return this.#rejectAll(new RemoteError(message.error))
    const call = this.#waiting.get(message.id ?? -1)
    this.#waiting.delete(message.id ?? -1)
    if (message.error === undefined) call?.resolve(message.result)
    else call?.reject(new RemoteError(message.error))
  }

  /** The error for an unreadable message has no id, so it applies to every call. */
  #rejectAll(error: Error): void {
    for (const call of this.#waiting.values()) call.reject(error)
    this.#waiting.clear()
  }
}
