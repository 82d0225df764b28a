import type { DatabaseKind, Tx } from './query.ts'

export interface TransactOptions {
  /** The run only reads, so the database may save itself the work of a writer. */
  readonly reads?: boolean
  /** After this moment (milliseconds since 1970) a run that has not begun is given up with `timeout`. */
  readonly deadline?: number
  /** The run finds out by itself whether it already happened, so it may follow a commit of unknown outcome. */
  readonly repeatable?: boolean
}

/** What a database must be able to do to hold our state. One contract suite tests every adapter. */
export interface Database {
  readonly kind: DatabaseKind
  /** Where it is, for people: never holds a secret. */
  readonly location: string
  /**
   * Runs inside one transaction and resolves only when what was written is durable (INV_ACK_IS_DURABLE).
   * `run` awaits nothing but its tx; it may be run again when the database asks for a retry.
   */
  transact<T>(run: (tx: Tx) => Promise<T>, options?: TransactOptions): Promise<T>
  /** Calls the listener after commits of ours; a hint to look, never the only way to know. */
  onCommit(listener: () => void): () => void
  /** A copy of everything as it is now; where it was put, or undefined where that is the operator's business. */
  backup(label: string): Promise<string | undefined>
  close(): Promise<void>
}
