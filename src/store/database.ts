import type { Breaker } from './breaker.ts'
import type { Doubt } from './file-watch.ts'
import type { DatabaseKind, Tx } from './query.ts'
import type { ServerClock } from './server-clock.ts'

export interface TransactOptions {
  /** The run only reads, so the database can skip the write lock. */
  readonly reads?: boolean
  /** A run that has not started by then (milliseconds since 1970) fails with `timeout`. */
  readonly deadline?: number
  /** The run detects its own repetition, so it may be retried after an unknown commit. */
  readonly repeatable?: boolean
  /** The run prepares the database: it has no time limit, and is tried also while the server counts as away. */
  readonly patient?: boolean
  /** An agent waits for the run, so it comes before those that wait already. */
  readonly first?: boolean
}

/** A server that other machines share. */
export interface Server {
  readonly breaker: Breaker
  readonly clock: ServerClock
  /** Rejects if the server cannot be reached, or must not be used. */
  probe(): Promise<void>
}

/** The port of the database. One contract suite tests every adapter. */
export interface Database {
  readonly kind: DatabaseKind
  /** Its location for display, without secrets. */
  readonly location: string
  /** Undefined if the database is embedded. */
  readonly server?: Server
  /**
   * Runs in one transaction and resolves when its writes are durable (INV_ACK_IS_DURABLE).
   * `run` awaits only its tx, and may run again on a retry.
   */
  transact<T>(run: (tx: Tx) => Promise<T>, options?: TransactOptions): Promise<T>
  /** Calls the listener after local commits; only a hint, because other machines commit too. */
  onCommit(listener: () => void): () => void
  /** Its files, if they are ours; in doubt, every call fails and nothing is acknowledged. */
  readonly files?: {
    doubt(): Doubt | undefined
    onDoubt(listener: (doubt: Doubt) => void): void
    /** Looks at them now; a commit looks by itself. */
    look(): void
    /** The first damage that SQLite finds; it holds up everything else. */
    check(): string | undefined
    mistrust(doubt: Doubt): void
    /** Takes the ledger up to an entry as acknowledged, because it was read from there. */
    acknowledge(seq: number): void
    /** Lets a thread write the file anew, as VACUUM does, and empties the log; transactions wait meanwhile. */
    rewrite(work: () => Promise<void>): Promise<void>
  }
  /** In doubt about the content, it leaves the connection open, and the process must end. */
  close(): Promise<void>
}
