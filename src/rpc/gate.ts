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
  const headers = decisive(rawHeaders)
  const host = only(headers.host)
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return refusal(403)
  // A DNS rebinding page sends no Origin, so Host and the token decide.
  if (headers.origin.length > 0 && only(headers.origin) !== `http://${host}`) return refusal(403)
  const found = find(routes, method, url)
  const kind = found?.route.token ?? 'full'
  const given = only(headers.authorization)
  const isOwn = isBearer(given, tokens[kind])
  const isOfSettings = kind === 'hook' && tokens.settings !== undefined && isBearer(given, tokens.settings)
  if (!isOwn && !isOfSettings) return refusal(401)
  if (found === undefined) return refusal(404)
  if (found.route.method !== method) return refusal(405)
  const isWrongBody = !isJson(only(headers['content-type']) ?? '') || headers['content-encoding'].length > 0
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

/** The headers that decide, with all their values. */
function decisive(rawHeaders: readonly string[]) {
  const found = {
    host: [] as string[],
    origin: [] as string[],
    authorization: [] as string[],
    'content-type': [] as string[],
    'content-encoding': [] as string[],
  }
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (Object.hasOwn(found, name)) found[name as keyof typeof found].push(rawHeaders[index + 1] ?? '')
  }
  return found
}

/** A repeated header counts as missing, because choosing one would be a guess. */
const only = (values: readonly string[]): string | undefined => (values.length === 1 ? values[0] : undefined)

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
