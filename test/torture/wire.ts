import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

export interface Reply {
  readonly jsonrpc: string
  readonly id: unknown
  readonly result?: unknown
  readonly error?: {
    readonly code: number
    readonly message: string
    readonly data?: { readonly code: string }
  }
}

/** A socket that can send anything, with the replies. */
export class Wire {
  readonly socket: Socket
  readonly #lines: string[] = []
  #rest = ''
  #news = Promise.withResolvers<void>()
  #isClosed = false

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n')
      this.#rest = lines.pop() ?? ''
      this.#lines.push(...lines)
      this.#ring()
    })
    // A server that disconnects us does so while we write.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#isClosed = true
      this.#ring()
    })
  }

  static async open(path: string): Promise<Wire> {
    const socket = createConnection(path)
    await once(socket, 'connect')
    return new Wire(socket)
  }

  send(...parts: readonly (string | Uint8Array)[]): void {
    for (const part of parts) this.socket.write(part)
  }

  call(method: string, params: unknown = {}, more: object = {}): void {
    this.send(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params, ...more })}\n`)
  }

  /** The next line of the reply, or undefined at the end of the connection. */
  async line(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#isClosed) await this.#news.promise
    return this.#lines.shift()
  }

  async reply(): Promise<Reply> {
    const line = await this.line()
    if (line === undefined) throw new Error('The connection was closed without an answer.')
    return JSON.parse(line) as Reply
  }

  /** Resolves when the other side has closed, with its remaining output. */
  async closed(): Promise<readonly string[]> {
    while (!this.#isClosed) await this.#news.promise
    return this.#lines
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }

  #ring(): void {
    this.#news.resolve()
    this.#news = Promise.withResolvers<void>()
  }
}
