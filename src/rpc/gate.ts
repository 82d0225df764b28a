import type { Route, Tokens } from './route.ts'

/** The head of a request. */
export interface Head {
  readonly method: string
  readonly url: string
  /** Names and values as sent, because merging would hide a second Host header. */
  readonly rawHeaders: readonly string[]
}

export interface Refusal {
  readonly kind: 'refused'
  readonly status: number
}

/** An admitted request. */
export interface Admitted {
  readonly kind: 'admitted'
  readonly route: Route
  readonly words: readonly string[]
  /** What the caller may know, because its token is the current one of hooks. */
  readonly countersign?: string
}

/** A route with its path as a pattern. */
export interface Listed {
  readonly route: Route
  readonly pattern: RegExp
}

/** Compiles the paths of the routes to patterns. */
export const listed = (routes: readonly Route[]): readonly Listed[] =>
  routes.map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replaceAll(/:[a-z]+/g, '([a-z0-9][a-z0-9-]{0,63})')}$`),
  }))

interface Entrance {
  readonly port: number
  readonly tokens: Tokens
  readonly routes: readonly Listed[]
}

/** Decides by the head alone, in the order that reveals least to a stranger. */
export function admit(
  { method, url, rawHeaders }: Head,
  { port, tokens, routes }: Entrance,
): Admitted | Refusal {
  const host = only(rawHeaders, 'host')
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return refusal(403)
  // A DNS rebinding page sends no Origin, so Host and the token decide.
  if (has(rawHeaders, 'origin') && only(rawHeaders, 'origin') !== `http://${host}`) return refusal(403)
  const found = find(routes, method, url)
  const kind = found?.route.token ?? 'full'
  const given = only(rawHeaders, 'authorization')
  const isOwn = isBearer(given, tokens[kind])
  const isOfSettings = kind === 'hook' && tokens.settings !== undefined && isBearer(given, tokens.settings)
  if (!isOwn && !isOfSettings) return refusal(401)
  if (found === undefined) return refusal(404)
  if (found.route.method !== method) return refusal(405)
  const isWrongBody = !isJson(only(rawHeaders, 'content-type') ?? '') || has(rawHeaders, 'content-encoding')
  if (method === 'POST' && isWrongBody) return refusal(415)
  return kind === 'hook' && isOwn ? { ...found, countersign: tokens.countersign } : found
}

const refusal = (status: number): Refusal => ({ kind: 'refused', status })

/** The route of a path and a method, else any route of the path. */
function find(routes: readonly Listed[], method: string, url: string): Admitted | undefined {
  let other: Admitted | undefined
  for (const { route, pattern } of routes) {
    const match = pattern.exec(url)
    if (match === null) continue
    const [, ...words] = match
    if (route.method === method) return { kind: 'admitted', route, words }
    other ??= { kind: 'admitted', route, words }
  }
  return other
}

/** Where a header is next, from an index on; -1 if nowhere. */
function at(rawHeaders: readonly string[], name: string, from = 0): number {
  for (let index = from; index + 1 < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === name) return index
  return -1
}

const has = (rawHeaders: readonly string[], name: string): boolean => at(rawHeaders, name) !== -1

/** A repeated header counts as missing, because choosing one would be a guess. */
function only(rawHeaders: readonly string[], name: string): string | undefined {
  const index = at(rawHeaders, name)
  return index === -1 || at(rawHeaders, name, index + 2) !== -1 ? undefined : rawHeaders[index + 1]
}

const SCHEME = 'Bearer '

/** Compares every character, so that the time tells nothing about a wrong token. */
function isBearer(given: string | undefined, token: string): boolean {
  if (given?.startsWith(SCHEME) !== true || given.length !== SCHEME.length + token.length) return false
  let difference = 0
  for (let index = 0; index < token.length; index++)
    difference |= given.charCodeAt(SCHEME.length + index) ^ token.charCodeAt(index)
  return difference === 0
}

const isJson = (type: string): boolean => /^application\/json\s*(;\s*charset=[\w"-]+\s*)?$/i.test(type)
