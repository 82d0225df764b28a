import { ConnectionLost, RemoteError } from '../../src/rpc/connect.ts'
import { Wire } from './wire.ts'

/** A connection whose messages carry the keys of their calls as ids, so that a recording shows who was answered. */
export class ToldConnection {
  readonly #wire: Wire
  readonly #waiting = new Map<string, PromiseWithResolvers<unknown>>()
  #sent = 0

  static async open(socket: string): Promise<ToldConnection> {
    return new ToldConnection(await Wire.open(socket))
  }

  private constructor(wire: Wire) {
    this.#wire = wire
    void this.#listen()
  }

  call(method: string, params: unknown): Promise<unknown> {
    const key = (params as { idempotency_key?: string }).idempotency_key ?? method
    const id = `${key}~${++this.#sent}`
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(id, waiting)
    this.#wire.socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return waiting.promise
  }

  close(): void {
    this.#wire.socket.destroy()
  }

  async #listen(): Promise<void> {
    for (;;) {
      const reply = await this.#wire.reply().catch(() => undefined)
      if (reply === undefined) break
      const waiting = this.#waiting.get(String(reply.id))
      this.#waiting.delete(String(reply.id))
      if (reply.error === undefined) waiting?.resolve(reply.result)
      else waiting?.reject(new RemoteError(reply.error))
    }
    for (const { reject } of this.#waiting.values()) reject(new ConnectionLost('The daemon is gone.'))
  }
}

/** The keys of the calls that a message answers. */
export const keysTold = (message: string): readonly string[] =>
  [...message.matchAll(/"id":"([^"~]+)~\d+"/g)].map(([, key = '']) => key)
