import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type CallerLimits, Callers } from './callers.ts'
import { descriptorOf, type Opened } from './descriptor.ts'
import { type Admitted, admit, type Head, type Listed, listed, type Refusal } from './gate.ts'
import { HeldPort } from './held-port.ts'
import { after } from './patience.ts'
import type { PlainPost } from './plain-post.ts'
import { PlainReader } from './plain-reader.ts'
import { readBody } from './read-body.ts'
import { cutOff, refuse, TIMED_OUT } from './reply.ts'
import type { Response, Route, Tokens } from './route.ts'
import { DEFAULTS } from './serve.ts'
import { Work } from './work.ts'

export interface HttpOptions {
  /** Matched in order, so the most frequent come first. */
  readonly routes: readonly Route[]
  /** Called with errors that a route throws. Must not throw. */
  readonly onError: (error: unknown) => void
  /** Called for every request, because tokens can change. */
  readonly tokens: () => Tokens
  /** Says why a request cannot be served, or undefined. */
  readonly refusal?: () => string | undefined
  /** Called for each connection that is closed although its caller keeps it. */
  readonly onDrop?: CallerLimits['onDrop']
  /** The most connections that have not shown their token; the oldest give way. */
  readonly maxStrangers?: number
  /** The most connections with the token; the ones that were idle longest give way. */
  readonly maxConnections?: number
  /** The most requests in progress at once. */
  readonly maxUnderWay?: number
  /** The time until the head of a request is complete; it is enforced within twice this time. */
  readonly headMilliseconds?: number
  /** The time to complete a request; it is enforced within twice this time. */
  readonly frameMilliseconds?: number
  /** The time in which a caller must read something of an answer; it is enforced within twice this time. */
  readonly unreadMilliseconds?: number
  /** Long enough for a client to reuse its connection after a user's pause. */
  readonly keepAliveMilliseconds?: number
}

const MAX_HEADER_BYTES = 16_384
const KEEP_ALIVE_MILLISECONDS = 600_000
/** A caller with a token sends it at once. */
const HEAD_MILLISECONDS = 5000
/** Callers that connected before the close send their request at once. */
const LATE_MILLISECONDS = 100

/** Serves routes to local callers with the right token. */
export class HttpServer {
  readonly #settings: Required<HttpOptions>
  readonly #routes: readonly Listed[]
  readonly #server: Server
  readonly #plain: PlainReader
  readonly #callers: Callers
  readonly #work = new Work()
  readonly #closing = new AbortController()
  #port = 0
  #isLeft = false

  constructor(options: HttpOptions) {
    this.#settings = {
      ...DEFAULTS,
      headMilliseconds: HEAD_MILLISECONDS,
      keepAliveMilliseconds: KEEP_ALIVE_MILLISECONDS,
      ...options,
    }
    this.#routes = listed(options.routes)
    this.#callers = new Callers(this.#settings)
    const { headMilliseconds, frameMilliseconds, keepAliveMilliseconds } = this.#settings
    this.#server = createServer({
      headersTimeout: Math.min(headMilliseconds, frameMilliseconds),
      requestTimeout: frameMilliseconds,
      connectionsCheckingInterval: headMilliseconds,
      keepAliveTimeout: keepAliveMilliseconds,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The gate checks it.
      requireHostHeader: false,
    })
    this.#server.on('request', (request, response) => this.#onRequest(request, response, false))
    // Does not invite a body that would be refused.
    this.#server.on('checkContinue', (request, response) => this.#onRequest(request, response, true))
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#onFault(error, socket as Socket),
    )
    this.#plain = this.#readFirst()
  }

  get descriptor(): number | undefined {
    return descriptorOf(this.#server)
  }

  /** Listens on loopback only; returns the port, which the system chooses for 0. */
  listen(where: number | Opened | HeldPort): Promise<number> {
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
        const waiting = where instanceof HeldPort ? where.callers() : []
        for (const caller of waiting) this.#server.emit('connection', caller)
      }
      this.#server.once('error', failed).once('listening', listening).listen(placeOf(where))
    })
  }

  /**
   * Closes each connection after its next answer, so that callers reconnect and wait for the successor; a request on a
   * kept connection could be lost at the end.
   */
  leave(isLeft = true): void {
    this.#isLeft = isLeft
  }

  /** Accepts no new requests, answers those in progress, ends streams, then closes the connections. */
  async close(graceMilliseconds: number): Promise<void> {
    this.leave()
    this.#closing.abort()
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()))
    this.#plain.closeIdle()
    const [patience, late] = [after(graceMilliseconds), after(Math.min(LATE_MILLISECONDS, graceMilliseconds))]
    await Promise.race([this.#work.settled(), patience.passed])
    this.#plain.closeIdle()
    this.#server.closeIdleConnections()
    await Promise.race([closed, late.passed])
    await Promise.race([this.#work.settled(), patience.passed])
    for (const { forget } of [patience, late]) forget()
    this.#plain.closeAll()
    this.#server.closeAllConnections()
    await closed
    this.#callers.close()
  }

  /** Puts the reader of plain requests before node:http, which gets the connections that it does not read. */
  #readFirst(): PlainReader {
    const [toHttp] = this.#server.listeners('connection')
    const plain = new PlainReader({
      ...this.#settings,
      serve: (post, response, socket) => this.#servePlain(post, response, socket),
      handOver: (socket) => void toHttp?.call(this.#server, socket),
      onSilent: (socket) => this.#onFault({ code: TIMED_OUT }, socket),
    })
    this.#server.removeAllListeners('connection').on('connection', (socket: Socket) => {
      this.#callers.add(socket)
      plain.read(socket)
    })
    return plain
  }

  #onFault(error: Pick<NodeJS.ErrnoException, 'code'>, socket: Socket): void {
    if (error.code === TIMED_OUT) this.#settings.onDrop('silent')
    cutOff(error, socket)
  }

  /** Leaves to node:http whatever is not answered by a route. */
  #servePlain(post: PlainPost, response: Response, socket: Socket): boolean {
    const found = this.#isLeft || this.#overload().reason !== undefined ? undefined : this.#admit(post)
    if (found?.kind !== 'admitted' || found.route.method !== 'POST') return false
    if (post.body.length > maxBytesOf(found.route)) return false
    const { route, words } = found
    const exchange = {
      words,
      headers: post.headers,
      body: post.body,
      response,
      closing: this.#closing.signal,
    }
    this.#run(async () => await route.serve(exchange), response, socket)
    return true
  }

  #onRequest(request: IncomingMessage, response: ServerResponse, waits: boolean): void {
    response.sendDate = false
    if (this.#isLeft) response.setHeader('Connection', 'close')
    const { method = '', url = '', rawHeaders } = request
    const found = this.#admit({ method, url, rawHeaders })
    if (found.kind === 'refused') return refuse(request, response, found.status)
    if (waits) invite(response, found)
    const { reason, isFull } = this.#overload()
    if (isFull) response.setHeader('Connection', 'close')
    if (reason !== undefined) return turnAway(found, reason, { request, response })
    this.#run(() => this.#serve(found, request, response), response, request.socket)
  }

  #admit(head: Head): Admitted | Refusal {
    return admit(head, { port: this.#port, tokens: this.#settings.tokens(), routes: this.#routes })
  }

  /** The reason to turn a request away; it is full if there are too many connections. */
  #overload(): { readonly reason: string | undefined; readonly isFull: boolean } {
    const why = this.#settings.refusal()
    const isBusy = this.#work.underWay >= this.#settings.maxUnderWay
    return {
      reason: why ?? (isBusy ? 'Too many requests are in progress.' : undefined),
      isFull: why !== undefined,
    }
  }

  /** Counts a request until its route ends and its answer leaves. */
  #run(serve: () => Promise<void>, response: Response, socket: Socket): void {
    this.#work.begin()
    this.#callers.begin(socket)
    let left = 2
    const end = () => {
      if (--left > 0) return
      this.#work.end()
      this.#callers.end(socket)
    }
    response.on('close', end)
    void serve().then(end, (error: unknown) => {
      // A failing request must not affect the others.
      this.#settings.onError(error)
      socket.destroy()
      end()
    })
  }

  async #serve(
    { route, words }: Admitted,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body = await readBody(request, maxBytesOf(route))
    if (body === 'gone') return
    await route.serve({ words, headers: request.headers, body, response, closing: this.#closing.signal })
  }
}

/** A held port is taken over as it is, so that no caller is lost. */
function placeOf(where: number | Opened | HeldPort) {
  if (where instanceof HeldPort) return where.server
  return typeof where === 'number' ? { port: where, host: '127.0.0.1' } : where
}

const maxBytesOf = ({ maxBytes }: Route): number => maxBytes ?? DEFAULTS.limits.bytes

/** Lets the caller send its body, and shows by the countersign that this is the server of its token. */
function invite(response: ServerResponse, { countersign }: Admitted): void {
  // Behind another request, its turn has not come.
  if (countersign === undefined || response.socket === null) response.writeContinue()
  else response.socket.write(`HTTP/1.1 100 ${countersign}\r\n\r\n`)
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
