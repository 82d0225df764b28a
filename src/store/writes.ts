import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError } from '../model/error.ts'
import { damageIn, isDamage } from './damage.ts'
import { type FileWatch, inDoubt } from './file-watch.ts'
import { codeOf, SQLITE_IOERR } from './sqlite-errors.ts'

const LEDGER = 'life_event'
/** Ten seconds together. */
const [EMPTY_TRIES, EMPTY_EVERY_MILLISECONDS] = [200, 50]

/** The writes of the one connection. Each looks at the files before and after, so that no loss is acknowledged. */
export class Writes {
  readonly #db: DatabaseSync
  readonly #files: FileWatch
  readonly #commit: () => void
  readonly #version: () => number
  #lastSeq: StatementSync | undefined
  /** SQLite's number for commits of others, as of the current transaction. */
  #opened = 0
  #hasRescued = false
  /** Whether a thread of ours writes the files. */
  #isRewriting = false
  /** Whether the current transaction has written to the ledger. */
  #isTold = false
  /** Whether the current transaction has written something. */
  hasBegun = false

  constructor(db: DatabaseSync, files: FileWatch) {
    this.#db = db
    this.#files = files
    const commit = db.prepare('commit')
    this.#commit = () => void commit.run()
    const version = db.prepare('pragma data_version')
    version.setReturnArrays(true)
    this.#version = () => (version.get() as unknown as [number])[0]
    files.trust(this.#version())
  }

  /** Called before a transaction begins. */
  prepare(): void {
    this.hasBegun = false
    this.#isTold = false
    this.#refuseInDoubt()
  }

  /** Called when a transaction has begun; returns SQLite's number for commits of others. */
  open(): number {
    return (this.#opened = this.#version())
  }

  /** Called before each statement that writes, with the only table that it changes, if there is one. */
  begin(table: string | undefined): void {
    this.#isTold ||= table === LEDGER
    if (this.hasBegun) return
    if (!this.#files.look(this.#version)) this.#refuseInDoubt()
    this.hasBegun = true
  }

  /** INV_ACK_IS_DURABLE: a COMMIT into a removed log is none, so it fails. */
  commit(): void {
    this.#refuseInDoubt()
    const seq = this.#isTold ? this.#seq() : undefined
    this.#commit()
    if (this.hasBegun && !this.#files.committed(this.#opened, seq)) this.#refuseInDoubt()
  }

  /** After damage or an I/O error nobody knows what is on disk; the next daemon recovers from the log and checks. */
  suspect(error: unknown): void {
    if (isDamage(error))
      this.#files.mistrust({ reason: `SQLite found damage: ${error.message}.`, isContent: true })
    if (error instanceof Error && codeOf(error) === SQLITE_IOERR)
      this.#files.mistrust({ reason: `The disk failed: ${error.message}.`, isContent: true })
  }

  /** Called after a rollback. A commit that finds the disk full has already written to the log. */
  rolledBack(error: unknown): void {
    this.suspect(error)
    if (this.hasBegun && this.#files.doubt === undefined) this.#files.committed(this.#opened, undefined)
    this.rescue()
  }

  /** The first damage of the whole database. */
  check(): string | undefined {
    return damageIn(this.#db, 'whole')
  }

  #refuseInDoubt(): void {
    if (this.#files.doubt !== undefined) throw inDoubt(this.#files.doubt)
  }

  /** Prepared late, because a new database has no ledger yet. */
  #seq(): number | undefined {
    this.#lastSeq ??= this.#db.prepare(`select max(seq) as seq from ${LEDGER}`)
    return this.#lastSeq.get()?.['seq'] as number | undefined
  }

  /** Looks at the files between writes. */
  look(): void {
    if (this.#isRewriting) return
    if (!this.#files.look(this.#version)) this.rescue()
  }

  /** A removed log is still whole in our hands, so what it holds moves to the database. */
  rescue(): void {
    if (this.#files.doubt?.isContent !== false || this.#hasRescued || this.#db.isTransaction) return
    this.#hasRescued = true
    this.#checkpoint('passive')
  }

  /** Moves the log into the database, unless that would hide or spread a foreign change. */
  checkpoint(): void {
    if (this.#isRewriting) return
    if (!this.#files.look(this.#version)) return this.rescue()
    this.#checkpoint('passive')
    this.#files.checkpointed(this.#version())
  }

  /** Lets a thread of ours write the database anew, and then empties the log; no transaction may be open. */
  async rewrite(work: () => Promise<void>): Promise<void> {
    this.#refuseInDoubt()
    this.#isRewriting = true
    try {
      await work()
      await this.#emptyLog()
    } finally {
      this.#isRewriting = false
      this.#files.checkpointed(this.#version())
    }
  }

  /** Somebody may read from the log for a moment. */
  async #emptyLog(): Promise<void> {
    for (let tries = 0; tries < EMPTY_TRIES; tries++) {
      const { busy } = this.#db.prepare('pragma wal_checkpoint(truncate)').get() ?? {}
      if (busy === 0) return
      await sleep(EMPTY_EVERY_MILLISECONDS)
    }
    throw new EngineError('unavailable', 'Another program keeps reading the log of the database.', {
      hint: 'End that program; the daemon tries again when it starts.',
    })
  }

  /** Leaves the connection open if closing would write a wrong log into the database. */
  close(): void {
    if (this.#files.doubt?.isContent === true) return
    this.#checkpoint('truncate')
    this.#db.close()
    this.#files.closed()
  }

  /** The log keeps the data safe, so a checkpoint that fails can run later. */
  #checkpoint(mode: 'passive' | 'truncate'): void {
    try {
      this.#db.exec(`pragma wal_checkpoint(${mode})`)
    } catch {
      // The next checkpoint retries.
    }
  }
}
