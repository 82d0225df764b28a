import { timingSafeEqual } from 'node:crypto'

/** What a request says of itself before its body. */
export interface Head {
  readonly method: string
  readonly url: string
  /** Names and values in turn, as they were sent: merging them would hide a second Host. */
  readonly rawHeaders: readonly string[]
}

/** Each kind of route has a token of its own: who may tell what a client does may call nothing else. */
export interface Tokens {
  readonly hook: string
  readonly full: string
}

export type Route = HookRoute | LineRoute | { readonly kind: 'rpc' }

/** What a client draws below its prompt. */
export interface LineRoute {
  readonly kind: 'line'
  readonly client: string
}

export interface HookRoute {
  readonly kind: 'hook'
  readonly client: string
  /** Whoever calls so wants to be told of a failure, because what is not allowed for certain is refused there. */
  readonly failsClosed: boolean
}

export interface Refusal {
  readonly kind: 'refused'
  readonly status: number
}

/** Decides by the head alone, in the order in which a stranger learns least. */
export function admit({ method, url, rawHeaders }: Head, port: number, tokens: Tokens): Route | Refusal {
  const headers = decisive(rawHeaders)
  const host = only(headers.host)
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return refusal(403)
  // A page that a name was bound anew for sends no Origin at all, which is why Host and the token decide.
  if (headers.origin.length > 0 && only(headers.origin) !== `http://${host}`) return refusal(403)
  const route = routeOf(url)
  const token = route === undefined || route.kind === 'rpc' ? tokens.full : tokens.hook
  if (!isSame(only(headers.authorization) ?? '', `Bearer ${token}`)) return refusal(401)
  if (route === undefined) return refusal(404)
  if (method !== 'POST') return refusal(405)
  if (!isJson(only(headers['content-type']) ?? '') || headers['content-encoding'].length > 0)
    return refusal(415)
  return route
}

const refusal = (status: number): Refusal => ({ kind: 'refused', status })

function routeOf(url: string): Route | undefined {
  if (url === '/rpc') return { kind: 'rpc' }
  const [, kind, client, strict] = CLIENT_URL.exec(url) ?? []
  if (client === undefined) return undefined
  if (kind === 'hook') return { kind, client, failsClosed: strict !== undefined }
  return strict === undefined ? { kind: 'line', client } : undefined
}

const CLIENT_URL = /^\/(hook|statusline)\/([a-z0-9][a-z0-9-]{0,63})(\/strict)?$/

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

/** A header that was sent twice is as good as none: which of them counts would be a guess. */
const only = (values: readonly string[]): string | undefined => (values.length === 1 ? values[0] : undefined)

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const isJson = (type: string): boolean => /^application\/json\s*(;\s*charset=[\w"-]+\s*)?$/i.test(type)
