import { duration } from './text/time.ts'

/** The clock as a port, so that tests can supply their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** How far it is ahead of the clock of this machine, which its files and clients tell; 0 by default. */
  readonly ahead?: number
}

/** A difference that can make a live session look silent. */
const MUCH_MILLISECONDS = 5000

/** Says how the clock of this machine differs from that of the server; undefined if they agree. */
export function clockDifference(ahead: number): string | undefined {
  if (Math.abs(ahead) <= MUCH_MILLISECONDS) return undefined
  const apart = `${duration(Math.abs(ahead))} ${ahead > 0 ? 'behind' : 'ahead of'}`
  return `The clock of this machine is ${apart} that of PostgreSQL; stored times are those of PostgreSQL.`
}

/** A time that this machine told, such as that of a file, by the clock. */
export const byClock = ({ ahead = 0 }: Clock, told: number): number => told + ahead

/** Times are stored and sent as UTC with milliseconds, so that text order is time order. */
export function timestamp(milliseconds: number): string {
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() }
  return last.text
}

/** Many hooks come within one millisecond, and making the text takes longer than judging some of them. */
let last = { milliseconds: 0, text: new Date(0).toISOString() }
