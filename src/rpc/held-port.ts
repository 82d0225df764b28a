import { createServer, type Server, type Socket } from 'node:net'

/** A loopback port whose callers wait until a server takes it over. */
export class HeldPort {
  readonly server: Server
  readonly #waiting: Socket[] = []
  readonly #called = Promise.withResolvers<void>()

  private constructor() {
    // As node:http has its connections.
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      // A caller may leave before anybody listens to its errors.
      this.#waiting.push(socket.on('error', () => undefined))
      this.#called.resolve()
    })
  }

  /** Takes a port; fails if another program has it. */
  static async take(port: number): Promise<HeldPort> {
    const held = new HeldPort()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    held.server.once('error', reject).listen({ port, host: '127.0.0.1' }, resolve)
    await promise
    return held
  }

  /** Resolves once somebody calls. */
  get called(): Promise<void> {
    return this.#called.promise
  }

  /** The callers so far, who wait no longer. */
  callers(): readonly Socket[] {
    return this.#waiting.splice(0).filter((socket) => !socket.destroyed)
  }

  close(): void {
    for (const socket of this.#waiting) socket.destroy()
    this.server.close()
  }
}
