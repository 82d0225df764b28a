import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

/** Each kind of route has its own token, so that a client with hooks can call nothing else. */
export interface Tokens {
  readonly hook: string
  readonly full: string
}

/** One HTTP route. */
export interface Route {
  /** The body of a POST is JSON; a GET has none. */
  readonly method: 'GET' | 'POST'
  /** Such as `/hook/:client`; a `:word` stands for a name of small letters, digits and hyphens. */
  readonly path: string
  /** Routes with the same path have the same token. */
  readonly token: keyof Tokens
  /** The limit of the body; defaults to the limit of messages. */
  readonly maxBytes?: number
  /** Answers the request. If it throws, the connection ends and the error is reported. */
  readonly serve: (exchange: Exchange) => Promise<void>
  /** Answers a request under overload; without it the answer is 503. Must not throw. */
  readonly turnAway?: (exchange: Pick<Exchange, 'words' | 'response'>, why: string) => void
}

/** An admitted request and its response. */
export interface Exchange {
  /** The values of the `:words` in the path. */
  readonly words: readonly string[]
  /** By lowercase names. */
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer | 'too long'
  /** It emits `close` when the caller leaves. */
  readonly response: ServerResponse
  /** Aborted when the server stops: a stream must end then. */
  readonly closing: AbortSignal
}
