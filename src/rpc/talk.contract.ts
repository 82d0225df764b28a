import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'
import { type HttpOptions, HttpServer } from './http.ts'
import { send } from './reply.ts'
import type { PostRoute } from './route.ts'

/** The token for hooks, and the token for all routes. */
export const TOKENS = { hook: 'h'.repeat(43), full: 'f'.repeat(43), countersign: 'p'.repeat(43) }

type Handle = (client: string, payload: unknown) => Promise<unknown>

/** Answers with what its payload asks for. */
const obedient: Handle = (client, payload) => Promise.resolve({ client, ...(payload as object) })

/** A server on a free port, closed after the test; its two routes answer with the result of `handle`. */
export async function serving({
  handle = obedient,
  ...options
}: Partial<HttpOptions> & { handle?: Handle } = {}) {
  const handled = vi.fn<Handle>(handle)
  const serve: PostRoute['serve'] = async ({ words: [client = 'nobody'], body, response }) =>
    send(response, JSON.stringify(await handled(client, JSON.parse(String(body)))))
  const errors: unknown[] = []
  const server = new HttpServer({
    routes: [
      { method: 'POST', path: '/hook/:client', token: 'hook', serve },
      { method: 'POST', path: '/rpc', token: 'full', serve },
    ],
    onError: (error) => errors.push(error),
    tokens: () => TOKENS,
    ...options,
  })
  const port = await server.listen(0)
  onTestFinished(() => server.close(0))
  return { server, port, errors, handle: handled, open: () => Talk.open(port) }
}

/** Waits for an expected event, however slow the machine is. */
export async function untilCalled({
  mock,
}: {
  readonly mock: { readonly calls: readonly unknown[] }
}): Promise<void> {
  while (mock.calls.length === 0) await sleep(2)
}

interface Message {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A connection that can send any bytes, with the answers that came. */
export class Talk {
  readonly socket: Socket
  readonly port: number
  #received = ''
  #closed = false

  constructor(socket: Socket, port: number) {
    this.socket = socket
    this.port = port
    socket.setEncoding('latin1').on('data', (text: string) => void (this.#received += text))
    socket.on('error', () => undefined)
    socket.on('close', () => void (this.#closed = true))
  }

  static async open(port: number): Promise<Talk> {
    const socket = createConnection({ port, host: '127.0.0.1' })
    await once(socket, 'connect')
    onTestFinished(() => void socket.destroy())
    return new Talk(socket, port)
  }

  /** The bytes that no answer has consumed. */
  get received(): string {
    return this.#received
  }

  send(...parts: readonly (string | Uint8Array)[]): this {
    for (const part of parts) this.socket.write(part)
    return this
  }

  /** A valid request, except for the given changes. */
  post(body: string | Uint8Array, more: { url?: string; token?: string; headers?: readonly string[] } = {}) {
    const { url = '/hook/claude-code', token = url === '/rpc' ? TOKENS.full : TOKENS.hook } = more
    const headers = [
      `POST ${url} HTTP/1.1`,
      `Host: 127.0.0.1:${this.port}`,
      `Authorization: Bearer ${token}`,
      ...(more.headers ?? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ]
    return this.send(`${headers.join('\r\n')}\r\n\r\n`, body)
  }

  /** The next answer; undefined if the other end closes without one. */
  async answer(): Promise<Message | undefined> {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      const [status = '', ...lines] = this.#received.slice(0, Math.max(end, 0)).split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => line.toLowerCase().split(': ') as [string, string]),
      )
      const whole = end + 4 + Number(headers['content-length'] ?? 0)
      if (end !== -1 && this.#received.length >= whole) {
        const body = Buffer.from(this.#received.slice(end + 4, whole), 'latin1').toString('utf8')
        this.#received = this.#received.slice(whole)
        return { status: Number(status.split(' ')[1]), headers, body }
      }
      if (this.#closed) return undefined
      await sleep(2)
    }
  }

  async closed(): Promise<string> {
    while (!this.#closed) await sleep(2)
    return this.#received
  }
}
