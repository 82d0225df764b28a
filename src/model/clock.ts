/** The clock as a port, so that tests can supply their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
}

/** Times are stored and sent as UTC with milliseconds, so that text order is time order. */
export function timestamp(milliseconds: number): string {
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() }
  return last.text
}

/** Many hooks come within one millisecond, and making the text takes longer than judging some of them. */
let last = { milliseconds: 0, text: new Date(0).toISOString() }
