/** A call of a client; `answer` is set once it was acknowledged. */
export interface MadeCall {
  readonly key: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  answer?: { readonly value: Readonly<Record<string, unknown>> }
}

/** One time that a call was made, with or without an answer. */
export interface Attempt extends Pick<MadeCall, 'key' | 'method' | 'params'> {
  readonly from: number
  /** Infinity without an answer. */
  readonly until: number
  readonly value?: unknown
}

/** A hook of a client, with the lines by which `checkHooks` finds what it leaves. */
export interface MadeHook {
  readonly traces: readonly string[]
  isAcknowledged: boolean
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
  /** No order of the calls explains their answers. */
  | 'order'
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
  readonly hooks: MadeHook[] = []
  readonly violations: Violation[] = []
  /** For `checkOrder`. */
  readonly attempts: Attempt[] = []
  /** Calls whose connection died before the answer. */
  lost = 0
  /** Acknowledged calls that were repeated with their key. */
  repeated = 0
  /** The longest wait of a caller for an answer, over all of its attempts. */
  slowestMilliseconds = 0

  get acknowledged(): number {
    return [...this.calls.values()].filter(({ answer }) => answer !== undefined).length
  }

  get acknowledgedHooks(): number {
    return this.hooks.filter(({ isAcknowledged }) => isAcknowledged).length
  }

  /** Makes a call once, and notes when. */
  async attempt(
    { key, method, params }: Pick<MadeCall, 'key' | 'method' | 'params'>,
    ask: () => Promise<unknown>,
  ): Promise<unknown> {
    const begun = { key, method, params, from: performance.now() }
    try {
      const value = await ask()
      this.attempts.push({ ...begun, until: performance.now(), value })
      return value
    } catch (error) {
      this.attempts.push({ ...begun, until: Infinity })
      throw error
    }
  }

  report(kind: Kind, detail: string): void {
    const known = this.violations.filter((one) => one.kind === kind)
    if (known.length < MOST_VIOLATIONS) this.violations.push({ kind, detail })
  }
}
