import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { descriptorOf, type Opened } from './descriptor.ts'
import { type Admitted, admit, type Listed, listed } from './gate.ts'
import { after } from './patience.ts'
import { readBody } from './read-body.ts'
import { cutOff, refuse } from './reply.ts'
import type { Route, Tokens } from './route.ts'
import { DEFAULTS } from './serve.ts'
import { Work } from './work.ts'

export interface HttpOptions {
  /** The most frequent first: they are compared in this order. */
  readonly routes: readonly Route[]
  /** Told of what a route throws. Must not throw. */
  readonly onError: (error: unknown) => void
  /** Asked for every request, because they can be changed. */
  readonly tokens: () => Tokens
  /** Asked for each request: why it cannot be served, or undefined. */
  readonly refusal?: () => string | undefined
  readonly maxConnections?: number
  /** So many requests are worked on at once. */
  readonly maxUnderWay?: number
  /** A request that has begun must be complete within this time, or within twice of it at the latest. */
  readonly frameMilliseconds?: number
  /** A client reuses its connection after a pause as long as a person's. */
  readonly keepAliveMilliseconds?: number
}

const MAX_HEADER_BYTES = 16_384
const KEEP_ALIVE_MILLISECONDS = 600_000
/** Whoever has connected before the door was closed says what they want at once. */
const LATE_MILLISECONDS = 100

/** Serves a table of routes to callers of this machine who know the token. */
export class HttpServer {
  readonly #settings: Required<HttpOptions>
  readonly #routes: readonly Listed[]
  readonly #server: Server
  readonly #work = new Work()
  readonly #closing = new AbortController()
  #port = 0
  #isLeft = false

  constructor(options: HttpOptions) {
    this.#settings = { ...DEFAULTS, keepAliveMilliseconds: KEEP_ALIVE_MILLISECONDS, ...options }
    this.#routes = listed(options.routes)
    const { frameMilliseconds, keepAliveMilliseconds, maxConnections } = this.#settings
    this.#server = createServer({
      headersTimeout: frameMilliseconds,
      requestTimeout: frameMilliseconds,
      connectionsCheckingInterval: frameMilliseconds,
      keepAliveTimeout: keepAliveMilliseconds,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The gate looks at it itself.
      requireHostHeader: false,
    })
    this.#server.maxConnections = maxConnections
    this.#server.on('request', (request, response) => this.#onRequest(request, response, false))
    // Nobody is told to go on sending who would be refused anyway.
    this.#server.on('checkContinue', (request, response) => this.#onRequest(request, response, true))
    this.#server.on('clientError', cutOff)
  }

  get descriptor(): number | undefined {
    return descriptorOf(this.#server)
  }

  /** Listens for callers of this machine only; gives the port, which 0 leaves to the system. */
  listen(where: number | Opened): Promise<number> {
    return new Promise((resolve, reject) => {
      const failed = (error: Error) => {
        this.#server.off('listening', listening)
        reject(error)
      }
      const listening = () => {
        this.#server.off('error', failed).on('error', () => undefined)
        const address = this.#server.address()
        if (typeof address === 'object' && address !== null) this.#port = address.port
        resolve(this.#port)
      }
      const place = typeof where === 'number' ? { port: where, host: '127.0.0.1' } : where
      this.#server.once('error', failed).once('listening', listening).listen(place)
    })
  }

  /**
   * Whoever is answered from now on comes back by a new connection, which waits for whoever serves then: what comes by
   * a kept one at the moment of the end would go unheard.
   */
  leave(isLeft = true): void {
    this.#isLeft = isLeft
  }

  /** No new requests; those under way are answered, streams end, then the connections end. */
  async close(graceMilliseconds: number): Promise<void> {
    this.leave()
    this.#closing.abort()
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()))
    const [patience, late] = [after(graceMilliseconds), after(Math.min(LATE_MILLISECONDS, graceMilliseconds))]
    await Promise.race([this.#work.settled(), patience.passed])
    this.#server.closeIdleConnections()
    await Promise.race([closed, late.passed])
    await Promise.race([this.#work.settled(), patience.passed])
    for (const { forget } of [patience, late]) forget()
    this.#server.closeAllConnections()
    await closed
  }

  #onRequest(request: IncomingMessage, response: ServerResponse, waits: boolean): void {
    response.sendDate = false
    if (this.#isLeft) response.setHeader('Connection', 'close')
    const { method = '', url = '', rawHeaders } = request
    const entrance = { port: this.#port, tokens: this.#settings.tokens(), routes: this.#routes }
    const found = admit({ method, url, rawHeaders }, entrance)
    if (found.kind === 'refused') return refuse(request, response, found.status)
    const why = this.#settings.refusal()
    // It is the connections that are too many then.
    if (why !== undefined) response.setHeader('Connection', 'close')
    const busy =
      this.#work.underWay >= this.#settings.maxUnderWay ? 'Too many requests are in progress.' : undefined
    const reason = why ?? busy
    if (reason !== undefined) return turnAway(found, reason, { request, response })
    if (waits) response.writeContinue()
    this.#work.begin()
    const answered = new Promise((resolve) => response.on('close', resolve))
    void this.#serve(found, request, response)
      // Of all that could be wrong with one request, nothing is a reason to leave the others.
      .catch((error: unknown) => {
        this.#settings.onError(error)
        request.socket.destroy()
      })
      .then(() => answered)
      .finally(() => this.#work.end())
  }

  async #serve(
    { route, words }: Admitted,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body = await readBody(request, route.maxBytes ?? DEFAULTS.limits.bytes)
    if (body === 'gone') return
    await route.serve({ words, body, response, closing: this.#closing.signal })
  }
}

interface Both {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

function turnAway({ route, words }: Admitted, why: string, { request, response }: Both): void {
  if (route.turnAway === undefined) return refuse(request, response, 503)
  request.resume()
  route.turnAway({ words, response }, why)
}
