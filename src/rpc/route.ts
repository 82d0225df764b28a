import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

/** Each kind of route has its own token, so that a client with hooks can call nothing else. */
export interface Tokens {
  readonly hook: string
  readonly full: string
  /** The answer to callers with the hook token that wait for an invitation to send their body. */
  readonly countersign: string
  /** A second token for hooks, which gets no countersign. */
  readonly settings?: string
}

/** One HTTP route. */
export type Route = PostRoute | GetRoute

/** Its body is JSON, and its answer is one text. */
export interface PostRoute extends Way<Response> {
  readonly method: 'POST'
}

/** It has no body, and its answer may be a stream. */
export interface GetRoute extends Way<ServerResponse> {
  readonly method: 'GET'
}

interface Way<To extends Response> {
  /** Such as `/hook/:client`; a `:word` stands for a name of small letters, digits and hyphens. */
  readonly path: string
  /** Routes with the same path have the same token. */
  readonly token: 'hook' | 'full'
  /** The limit of the body; defaults to the limit of messages. */
  readonly maxBytes?: number
  /** Answers the request. If it throws, the connection ends and the error is reported. */
  readonly serve: (exchange: Exchange<To>) => Promise<void>
  /** Answers a request under overload; without it the answer is 503. Must not throw. */
  readonly turnAway?: (exchange: Pick<Exchange, 'words' | 'response'>, why: string) => void
}

/** An admitted request and its response. */
export interface Exchange<To extends Response = Response> {
  /** The values of the `:words` in the path. */
  readonly words: readonly string[]
  /** By lowercase names. */
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer | 'too long'
  /** It emits `close` when the caller leaves. */
  readonly response: To
  /** Aborted when the server stops: a stream must end then. */
  readonly closing: AbortSignal
}

/** The part of a `ServerResponse` that a whole answer needs. */
export interface Response {
  readonly writableEnded: boolean
  writeHead(status: number, headers: Headers): this
  end(text: string): unknown
  on(event: 'close', listener: () => void): this
}

export type Headers = Readonly<Record<string, string | number>>
