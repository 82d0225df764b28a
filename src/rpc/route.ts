import type { ServerResponse } from 'node:http'

/** Each kind of route has a token of its own: a client that reports hooks may call nothing else. */
export interface Tokens {
  readonly hook: string
  readonly full: string
}

/** One thing that is served over HTTP. */
export interface Route {
  /** The body of a POST is JSON; a GET has none. */
  readonly method: 'GET' | 'POST'
  /** Such as `/hook/:client`; a `:word` stands for a name of small letters, digits and hyphens. */
  readonly path: string
  /** Routes with the same path have the same token. */
  readonly token: keyof Tokens
  /** How long a body may be; as long as any message, unless it says otherwise. */
  readonly maxBytes?: number
  /** Answers the request. If it throws, the connection ends and the error is reported. */
  readonly serve: (exchange: Exchange) => Promise<void>
  /** Answers a request for which there is no room now; without it the answer is 503. Must not throw. */
  readonly turnAway?: (exchange: Pick<Exchange, 'words' | 'response'>, why: string) => void
}

/** One request that was let in, and the way to answer it. */
export interface Exchange {
  /** What the path has in the place of its `:words`. */
  readonly words: readonly string[]
  readonly body: Buffer | 'too long'
  /** It emits `close` when the caller leaves. */
  readonly response: ServerResponse
  /** Aborted when the server stops: a stream must end then. */
  readonly closing: AbortSignal
}
