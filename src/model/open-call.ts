/** A running tool call. */
export interface OpenCall {
  readonly id: string
  readonly tool: string
  /** A few words of what it does. */
  readonly what: string
  readonly at: string
  /** Whether it runs a shell command; calls that an older program stored do not say. */
  readonly is_command?: boolean
}

/** News about calls: one started, some ended, or all ended. */
export type CallNews = { readonly begun: OpenCall } | { readonly ended: 'all' | readonly string[] }

/** A client with more open calls never reports their end. */
const MOST_OPEN = 50

/** The open calls after the news, and how many started; a repeated report counts once. */
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
