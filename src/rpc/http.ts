import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { answerTo, encode, problem, readMessage, type Service } from './answer.ts'
import { descriptorOf, type Opened } from './descriptor.ts'
import { admit, type HookRoute, type LineRoute, type Route, type Tokens } from './gate.ts'
import { TOO_LARGE } from './message.ts'
import { DEFAULTS, LINGER_MILLISECONDS } from './serve.ts'
import { Work } from './work.ts'

/** What went wrong with a hook that was let go on all the same. */
export interface HookFault {
  readonly client: string
  readonly problem: string
  readonly cause?: unknown
}

export interface HttpOptions {
  readonly dispatch: Service['dispatch']
  readonly toError: Service['toError']
  /** What the client is told, an object; undefined for nothing. After the deadline nobody waits for it. */
  readonly handleHook: (client: string, payload: unknown, deadline: number) => Promise<unknown>
  /** What is added to the status line of a client, one line; '' for nothing. */
  readonly handleLine: (client: string, payload: unknown, deadline: number) => Promise<string>
  /** Must not throw. */
  readonly onFault: (fault: HookFault) => void
  /** What a hook that failed is answered where the client must not go on then: an object, or undefined to let it. */
  readonly closeFor: (payload: unknown, fault: HookFault) => unknown
  /** Asked for every request, because they can be changed. */
  readonly tokens: () => Tokens
  /** How long a client waits for a hook at most. */
  readonly hookMilliseconds?: number
  /** What a hook reports may hold a whole file, so that it may be longer than other messages. */
  readonly hookBytes?: number
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

const HTTP_DEFAULTS = {
  ...DEFAULTS,
  hookMilliseconds: 5000,
  hookBytes: DEFAULTS.maxUnreadBytes,
  keepAliveMilliseconds: 600_000,
}

const MAX_HEADER_BYTES = 16_384
/** A line that comes later is one that nobody draws any more. */
const LINE_MILLISECONDS = 1000
/** Whoever has connected before the door was closed says what they want at once. */
const LATE_MILLISECONDS = 100

/** Hooks, and the same messages as over the socket, for callers of this machine who know the token. */
export class HttpServer {
  readonly #settings: Required<HttpOptions> & Service
  readonly #server: Server
  readonly #work = new Work()
  #port = 0
  #isLeft = false

  constructor(options: HttpOptions) {
    this.#settings = { ...HTTP_DEFAULTS, ...options }
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

  /** No new calls; those under way are answered, then the connections end. */
  async close(graceMilliseconds: number): Promise<void> {
    this.leave()
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
    const route = admit({ method, url, rawHeaders }, this.#port, this.#settings.tokens())
    if (route.kind === 'refused') return refuse(request, response, route.status)
    const why = this.#settings.refusal()
    // It is the connections that are too many then.
    if (why !== undefined) response.setHeader('Connection', 'close')
    const busy = this.#work.underWay >= this.#settings.maxUnderWay ? 'Too much is under way.' : undefined
    const reason = why ?? busy
    if (reason !== undefined) return this.#turnAway(route, reason, { request, response })
    if (waits) response.writeContinue()
    this.#work.begin()
    const answered = new Promise((resolve) => response.on('close', resolve))
    void this.#serve(route, request, response)
      // Of all that could be wrong with one request, nothing is a reason to leave the others.
      .catch((error: unknown) => {
        this.#settings.toError(error)
        request.socket.destroy()
      })
      .then(() => answered)
      .finally(() => this.#work.end())
  }

  async #serve(route: Route, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { hookBytes, limits } = this.#settings
    const body = await readBody(request, route.kind === 'hook' ? hookBytes : limits.bytes)
    if (body === 'gone') return
    if (route.kind === 'hook') await this.#hook(route, body, response)
    else if (route.kind === 'line') await this.#line(route, body, response)
    else await this.#rpc(body, response)
  }

  #turnAway(
    route: Route,
    why: string,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
  ): void {
    if (route.kind === 'rpc') return refuse(request, response, 503)
    this.#settings.onFault({ client: route.client, problem: why })
    request.resume()
    if (route.kind === 'hook') letGo(route, response)
    else send(response, '')
  }

  async #rpc(body: Buffer | 'too long', response: ServerResponse): Promise<void> {
    const { limits } = this.#settings
    if (body === 'too long')
      return send(response, problem(TOO_LARGE, `A message may have ${limits.bytes} bytes.`))
    const message = readMessage(body, limits)
    if ('problem' in message) return send(response, problem(message.problem.code, message.problem.message))
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    // What was not asked for has no way back over HTTP; whoever wants it takes the socket.
    const peer = { notify: () => Promise.resolve(), gone: gone.signal }
    const reply = await answerTo(message.json, this.#settings, peer)
    send(response, reply === undefined ? '' : encode(reply, this.#settings))
  }

  /** INV_HOOK_NEVER_BREAKS_THE_AGENT: what cannot be decided in time is allowed, and told to whoever keeps the log. */
  async #hook(route: HookRoute, body: Buffer | 'too long', response: ServerResponse): Promise<void> {
    const { client } = route
    const { hookBytes, hookMilliseconds, limits, handleHook, onFault } = this.#settings
    const fail = (fault: string) => {
      letGo(route, response)
      onFault({ client, problem: fault })
    }
    if (body === 'too long') return fail(`A hook may report ${hookBytes} bytes.`)
    const message = readMessage(body, limits)
    if ('problem' in message) return fail(message.problem.message)
    const goOn = (fault: HookFault) => {
      if (!response.writableEnded) this.#withoutDecision(route, message.json, fault, response)
      onFault(fault)
    }
    const tooLate = { client, problem: `The hook was not decided within ${hookMilliseconds} ms.` }
    const late = setTimeout(() => goOn(tooLate), hookMilliseconds)
    try {
      const text = replyText(await handleHook(client, message.json, Date.now() + hookMilliseconds))
      if (!response.writableEnded) send(response, text)
    } catch (cause) {
      goOn({ client, problem: 'The hook failed.', cause })
    } finally {
      clearTimeout(late)
    }
  }

  /** INV_HOOK_NEVER_BREAKS_THE_AGENT: an error has no place among what a user looks at. */
  async #line({ client }: LineRoute, body: Buffer | 'too long', response: ServerResponse): Promise<void> {
    const { handleLine, limits, onFault } = this.#settings
    try {
      if (body === 'too long') throw new Error(`A status line may be told ${limits.bytes} bytes.`)
      const message = readMessage(body, limits)
      if ('problem' in message) throw new Error(message.problem.message)
      const line = await handleLine(client, message.json, Date.now() + LINE_MILLISECONDS)
      send(response, line === '' ? '' : `${line}\n`, 'text/plain; charset=utf-8')
    } catch (cause) {
      send(response, '')
      onFault({ client, problem: 'The status line failed.', cause })
    }
  }

  #withoutDecision(route: HookRoute, payload: unknown, fault: HookFault, response: ServerResponse): void {
    if (!route.failsClosed) return letGo(route, response)
    try {
      send(response, replyText(this.#settings.closeFor(payload, fault)))
    } catch {
      letGo(route, response)
    }
  }
}

function after(milliseconds: number) {
  const { promise: passed, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  return { passed, forget: () => clearTimeout(timer) }
}

const NOTHING = Buffer.alloc(0)

/** The body, which is not kept beyond the limit but read to its end: a sender that is cut off learns nothing. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too long' | 'gone'> {
  return new Promise((resolve) => {
    let kept: Buffer = NOTHING
    let length = 0
    request.on('data', (part: Buffer) => {
      const start = length
      length += part.length
      if (length > maxBytes) kept = NOTHING
      // Most come as one part.
      else if (start === 0) kept = part
      else {
        if (length > kept.length) kept = grown(kept, Math.min(maxBytes, length * 2))
        part.copy(kept, start)
      }
    })
    request.on('end', () => resolve(length > maxBytes ? 'too long' : kept.subarray(0, length)))
    // Also of a sender that left.
    request.on('error', () => resolve('gone'))
  })
}

/** Twice as much each time, because a body may come byte by byte. */
function grown(kept: Buffer, size: number): Buffer {
  const more = Buffer.allocUnsafe(size)
  kept.copy(more)
  return more
}

/** A client takes nothing, or an object; anything else it would call an error of the hook. */
function replyText(reply: unknown): string {
  if (reply === undefined || reply === null) return ''
  if (typeof reply !== 'object' || Array.isArray(reply)) throw new TypeError('A reply must be an object.')
  return JSON.stringify(reply)
}

const headersOf = (text: string, type = 'application/json') => ({
  'Content-Type': type,
  'Content-Length': Buffer.byteLength(text),
  'Cache-Control': 'no-store',
})

function send(response: ServerResponse, text: string, type?: string): void {
  response.writeHead(200, headersOf(text, type)).end(text)
}

/** Nothing was decided: an empty answer lets the client go on, and where it must not, it is told that we failed. */
function letGo({ failsClosed }: HookRoute, response: ServerResponse): void {
  if (!failsClosed) return send(response, '')
  const text = refusalText(503)
  response.writeHead(503, headersOf(text)).end(text)
}

/** The answer goes out at once, and the connection ends when the sender has: closing on it would take the answer away. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  const text = refusalText(status)
  response.writeHead(status, { ...headersOf(text), Connection: 'close' }).write(text)
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MILLISECONDS)
  request.on('end', () => response.end())
  request.on('error', () => undefined)
  response.on('close', () => clearTimeout(timer))
  request.resume()
}

/** For what is no request at all, so that nobody else answers it. */
function cutOff(error: NodeJS.ErrnoException, socket: Socket): void {
  // Where an answer has begun, more bytes would only garble it.
  if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy()
  const status =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
  const text = refusalText(status)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json`
  socket.end(`${head}\r\nContent-Length: ${text.length}\r\n\r\n${text}`, () => socket.destroy())
}

/** Says no more than the status does. */
const refusalText = (status: number): string => JSON.stringify({ error: STATUS_CODES[status] })
