import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type PlainPost, plainPost } from './plain-post.ts'
import type { Headers, Response } from './route.ts'

interface ReaderOptions {
  /** Serves a request, or returns false to leave it to node:http. */
  readonly serve: (post: PlainPost, response: Response, socket: Socket) => boolean
  /** Gives a connection to node:http, with everything that is not answered yet. */
  readonly handOver: (socket: Socket) => void
  /** How long a new connection may be silent. */
  readonly headMilliseconds: number
  readonly onSilent: (socket: Socket) => void
  readonly keepAliveMilliseconds: number
}

/** Reads plain requests itself, which is faster; from the first other one, node:http reads the connection. */
export class PlainReader {
  readonly #options: ReaderOptions
  readonly #connections = new Set<PlainConnection>()

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  read(socket: Socket): void {
    const connection = new PlainConnection(socket, this.#options, () => this.#connections.delete(connection))
    this.#connections.add(connection)
  }

  /** Closes connections that were answered and ask nothing now. */
  closeIdle(): void {
    for (const connection of this.#connections) if (connection.isIdle) connection.socket.destroy()
  }

  closeAll(): void {
    for (const { socket } of this.#connections) socket.destroy()
  }
}

class PlainConnection {
  readonly socket: Socket
  readonly #options: ReaderOptions
  readonly #onEnd: () => void
  /** The last response, which may be complete. */
  #response: PlainResponse | undefined

  constructor(socket: Socket, options: ReaderOptions, onEnd: () => void) {
    this.socket = socket
    this.#options = options
    this.#onEnd = onEnd
    socket.setTimeout(options.headMilliseconds)
    socket.on('data', this.#onData).on('end', this.#onFinish).on('timeout', this.#onSilence)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      onEnd()
      this.#response?.close()
    })
  }

  get isIdle(): boolean {
    return this.#response?.isClosed === true
  }

  readonly #onData = (bytes: Buffer): void => {
    const isBusy = this.#response?.isClosed === false
    if (!isBusy && this.#isServed(bytes)) return
    this.socket.off('data', this.#onData).pause().unshift(bytes)
    // Answers keep the order of their requests.
    if (isBusy) this.#response?.on('close', () => this.#handOver())
    else this.#handOver()
  }

  #isServed(bytes: Buffer): boolean {
    const post = plainPost(bytes)
    if (post === undefined) return false
    const { keepAliveMilliseconds, serve } = this.#options
    const response = new PlainResponse(this.socket, keepAliveMilliseconds)
    if (!serve(post, response, this.socket)) return false
    if (this.#response === undefined) this.socket.setTimeout(keepAliveMilliseconds)
    this.#response = response
    return true
  }

  #handOver(): void {
    if (this.socket.destroyed) return
    this.#onEnd()
    this.socket.setTimeout(0).off('end', this.#onFinish).off('timeout', this.#onSilence)
    this.#options.handOver(this.socket)
    this.socket.resume()
  }

  readonly #onFinish = (): void => void this.socket.end()

  readonly #onSilence = (): void => {
    if (this.#response === undefined) this.#options.onSilent(this.socket)
    else if (this.#response.writableEnded) this.socket.destroy()
  }
}

class PlainResponse implements Response {
  writableEnded = false
  isClosed = false
  readonly #socket: Socket
  readonly #kept: string
  readonly #onClose: (() => void)[] = []
  #head = ''

  constructor(socket: Socket, keepAliveMilliseconds: number) {
    this.#socket = socket
    this.#kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMilliseconds / 1000)}`
  }

  on(_: 'close', listener: () => void): this {
    this.#onClose.push(listener)
    return this
  }

  writeHead(status: number, headers: Headers): this {
    this.#head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
    for (const name in headers) this.#head += `${name}: ${headers[name]}\r\n`
    return this
  }

  end(text: string): this {
    this.writableEnded = true
    this.#socket.write(`${this.#head}${this.#kept}\r\n\r\n${text}`, () => this.close())
    return this
  }

  /** The answer has left, or its caller. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    for (const listener of this.#onClose) listener()
  }
}
