/** The clock as a port, so that tests can supply their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
}

/** Times are stored and sent as UTC with milliseconds, so that text order is time order. */
export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString()
