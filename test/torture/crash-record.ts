/** A call of a client; `answer` is set once it was acknowledged. */
export interface MadeCall {
  readonly key: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  answer?: { readonly value: Readonly<Record<string, unknown>> }
}

/** What must never happen, however and whenever the daemon dies. */
export type Kind =
  /** An acknowledged change is missing. */
  | 'lost'
  /** A change exists more than once. */
  | 'duplicate'
  /** A change differs from its answer. */
  | 'changed'
  /** A change exists that no client made. */
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

/** Per kind, so that many of one kind cannot hide another. */
const MOST_VIOLATIONS = 50

/** All calls and answers of the clients, compared with the database after each crash. */
export class CrashRecord {
  readonly calls = new Map<string, MadeCall>()
  readonly violations: Violation[] = []
  /** Calls whose connection died before the answer. */
  lost = 0
  /** Acknowledged calls that were repeated with their key. */
  repeated = 0
  /** The longest wait of a caller for an answer, over all of its attempts. */
  slowestMilliseconds = 0

  get acknowledged(): number {
    return [...this.calls.values()].filter(({ answer }) => answer !== undefined).length
  }

  report(kind: Kind, detail: string): void {
    const known = this.violations.filter((one) => one.kind === kind)
    if (known.length < MOST_VIOLATIONS) this.violations.push({ kind, detail })
  }
}
