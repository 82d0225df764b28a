/** A tool call that has begun and not ended. */
export interface OpenCall {
  readonly id: string
  readonly tool: string
  /** A few words of what it does. */
  readonly what: string
  readonly at: string
}

/** What is told of calls: one has begun, some have ended, or all have. */
export type CallNews = { readonly begun: OpenCall } | { readonly ended: 'all' | readonly string[] }

/** More at once is a client that never tells how its calls end. */
const MOST_OPEN = 50

/** The calls that are open after the news; a call that is told twice has begun once. */
export function openAfter(open: readonly OpenCall[], news: readonly CallNews[]): readonly OpenCall[] {
  const calls = new Map(open.map((call) => [call.id, call]))
  for (const one of news) {
    if ('begun' in one) calls.set(one.begun.id, calls.get(one.begun.id) ?? one.begun)
    else if (one.ended === 'all') calls.clear()
    else for (const id of one.ended) calls.delete(id)
  }
  return [...calls.values()].slice(-MOST_OPEN)
}
