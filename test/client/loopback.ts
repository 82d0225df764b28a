import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server on 127.0.0.1 in the test's own process. */
export abstract class Loopback implements AsyncDisposable {
  protected readonly server: Server = createServer(
    (request, response) => void this.#answer(request, response),
  )

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async listen(): Promise<this> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done))
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((done) => void this.server.close(done))
    this.server.closeAllConnections()
    await closed
  }

  protected abstract answer(request: IncomingMessage, text: string, response: ServerResponse): unknown

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = Buffer.concat(await request.toArray()).toString('utf8')
    try {
      await this.answer(request, text, response)
    } catch (error) {
      // A mistake of the test: vitest reports it, and no caller waits for an answer.
      response.destroy()
      throw error
    }
  }
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(value === undefined ? '' : JSON.stringify(value))
}
