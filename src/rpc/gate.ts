import { timingSafeEqual } from 'node:crypto'

/** What a request says of itself before its body. */
export interface Head {
  readonly method: string
  readonly url: string
  /** Names and values in turn, as they were sent: merging them would hide a second Host. */
  readonly rawHeaders: readonly string[]
}

/** Each route has a token of its own: who may call hooks may call nothing else. */
export interface Tokens {
  readonly hook: string
  readonly full: string
}

export type Route = { readonly kind: 'hook'; readonly client: string } | { readonly kind: 'rpc' }

export interface Refusal {
  readonly kind: 'refused'
  readonly status: number
}

/** Decides by the head alone, in the order in which a stranger learns least. */
export function admit(head: Head, port: number, tokens: Tokens): Route | Refusal {
  const host = only(head, 'host')
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return refusal(403)
  const origins = valuesOf(head, 'origin')
  // A page that a name was bound anew for sends no Origin at all, which is why Host and the token decide.
  if (origins.some((origin) => origin !== `http://${host}`) || origins.length > 1) return refusal(403)
  const route = routeOf(head.url)
  const token = route?.kind === 'hook' ? tokens.hook : tokens.full
  if (!isSame(only(head, 'authorization') ?? '', `Bearer ${token}`)) return refusal(401)
  if (route === undefined) return refusal(404)
  if (head.method !== 'POST') return refusal(405)
  if (!isJson(only(head, 'content-type') ?? '') || valuesOf(head, 'content-encoding').length > 0)
    return refusal(415)
  return route
}

const refusal = (status: number): Refusal => ({ kind: 'refused', status })

function routeOf(url: string): Route | undefined {
  if (url === '/rpc') return { kind: 'rpc' }
  const client = /^\/hook\/([a-z0-9][a-z0-9-]{0,63})$/.exec(url)?.[1]
  return client === undefined ? undefined : { kind: 'hook', client }
}

function valuesOf({ rawHeaders }: Head, name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
}

/** A header that was sent twice is as good as none: which of them counts would be a guess. */
function only(head: Head, name: string): string | undefined {
  const values = valuesOf(head, name)
  return values.length === 1 ? values[0] : undefined
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const isJson = (type: string): boolean => /^application\/json\s*(;\s*charset=[\w"-]+\s*)?$/i.test(type)
