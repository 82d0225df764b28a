/** A call as a client made it; `answer` is there once it was acknowledged. */
export interface MadeCall {
  readonly key: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  answer?: { readonly value: Readonly<Record<string, unknown>> }
}

/** What may not happen, however and whenever the daemon dies. */
export type Kind =
  /** An acknowledged change is not there. */
  | 'lost'
  /** It is there more than once. */
  | 'duplicate'
  /** It is there, but not as it was answered. */
  | 'changed'
  /** Something is there that nobody asked for. */
  | 'stray'
  | 'integrity'
  | 'ordinals'
  | 'ledger'
  /** A call failed that should have succeeded. */
  | 'error'

export interface Violation {
  readonly kind: Kind
  readonly detail: string
}

/** Of each kind, so that many of one cannot hide another. */
const MOST_VIOLATIONS = 50

/** All that clients asked for and were told, against which the database is held after each crash. */
export class CrashRecord {
  readonly calls = new Map<string, MadeCall>()
  readonly violations: Violation[] = []
  /** Calls whose connection died before the answer. */
  lost = 0
  /** Acknowledged calls that were made once more with their key. */
  repeated = 0
  /** The longest that a caller has waited for an answer, however often it had to ask. */
  slowestMilliseconds = 0

  get acknowledged(): number {
    return [...this.calls.values()].filter(({ answer }) => answer !== undefined).length
  }

  report(kind: Kind, detail: string): void {
    const known = this.violations.filter((one) => one.kind === kind)
    if (known.length < MOST_VIOLATIONS) this.violations.push({ kind, detail })
  }
}
