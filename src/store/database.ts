import type { DatabaseKind, Tx } from './query.ts'

export interface TransactOptions {
  /** The run only reads, so the database can skip the write lock. */
  readonly reads?: boolean
  /** A run that has not started by then (milliseconds since 1970) fails with `timeout`. */
  readonly deadline?: number
  /** The run detects its own repetition, so it may be retried after an unknown commit. */
  readonly repeatable?: boolean
}

/** The port of the database. One contract suite tests every adapter. */
export interface Database {
  readonly kind: DatabaseKind
  /** Its location for display, without secrets. */
  readonly location: string
  /**
   * Runs in one transaction and resolves when its writes are durable (INV_ACK_IS_DURABLE).
   * `run` awaits only its tx, and may run again on a retry.
   */
  transact<T>(run: (tx: Tx) => Promise<T>, options?: TransactOptions): Promise<T>
  /** Calls the listener after local commits; only a hint, because other machines commit too. */
  onCommit(listener: () => void): () => void
  /** Writes a backup and returns its path; undefined if backups are up to the operator. */
  backup(label: string): Promise<string | undefined>
  close(): Promise<void>
}
