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

/** The calls that are open after the news, and how many have begun: one that is told twice has begun once. */
export function openAfter(
  open: readonly OpenCall[],
  news: readonly CallNews[],
): { readonly open: readonly OpenCall[]; readonly begun: number } {
  const calls = new Map(open.map((call) => [call.id, call]))
  let begun = 0
  for (const one of news) {
    if ('ended' in one) {
      if (one.ended === 'all') calls.clear()
      else for (const id of one.ended) calls.delete(id)
    } else if (!calls.has(one.begun.id)) {
      calls.set(one.begun.id, one.begun)
      begun++
    }
  }
  return { open: [...calls.values()].slice(-MOST_OPEN), begun }
}
