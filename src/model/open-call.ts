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
export const openAfter = (open: readonly OpenCall[], news: readonly CallNews[]): readonly OpenCall[] =>
  news.reduce((before, one) => {
    if ('begun' in one)
      return before.some(({ id }) => id === one.begun.id) ? before : [...before, one.begun].slice(-MOST_OPEN)
    const { ended } = one
    return ended === 'all' ? [] : before.filter(({ id }) => !ended.includes(id))
  }, open)
