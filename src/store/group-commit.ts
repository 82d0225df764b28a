import { setTimeout as sleep } from 'node:timers/promises'
import { deadlinePassed } from '../model/error.ts'
import type { TransactOptions } from './database.ts'
import type { Statement, Tx } from './query.ts'

/** The transaction statements of the single connection. */
export interface Frame {
  begin(reads: boolean): void
  /** Whether BEGIN failed because another process is writing. */
  isBusy(error: unknown): boolean
  savepoint(): void
  release(): void
  /** Both get the error that is the reason. */
  rollbackToSavepoint(error: unknown): void
  rollback(error: unknown): void
  commit(): void
  /** Some failures, such as a full disk, make SQLite roll back the whole transaction. */
  isOpen(): boolean
}

interface Job {
  readonly run: (tx: Tx) => Promise<unknown>
  readonly options: TransactOptions
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Settled {
  readonly job: Job
  readonly undo: readonly (() => void)[]
  readonly settle: () => void
}

const GROUP_LIMIT = 500
/** A group ends after this time, so that runs that came meanwhile do not wait for all of it. */
const GROUP_MILLISECONDS = 10
/** How long to wait for another writer before calls fail; hooks must still be able to say why. */
const BUSY_MILLISECONDS = 500
const LOOK_EVERY_MILLISECONDS = 20

/**
 * Runs that arrive in one turn of the event loop share one COMMIT, each in its own savepoint, and resolve only after
 * that COMMIT. If it fails, each runs again in its own transaction.
 */
export class GroupCommit {
  readonly #frame: Frame
  readonly #execute: Tx['execute']
  readonly #afterCommit: () => void
  #queue: Job[] = []
  #draining: Promise<void> | undefined
  readonly #alone: (() => Promise<void>)[] = []
  #isLocked = false

  constructor(frame: Frame, execute: Tx['execute'], afterCommit: () => void) {
    this.#frame = frame
    this.#execute = execute
    this.#afterCommit = afterCommit
  }

  transact<T>(run: (tx: Tx) => Promise<T>, options: TransactOptions): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run, options, resolve: resolve as (value: unknown) => void, reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Runs work while no transaction is open; runs that come meanwhile wait for it. */
  alone(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#alone.push(() => work().then(resolve, reject))
      this.#draining ??= this.#drain()
    })
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining
  }

  async #drain(): Promise<void> {
    while (this.#queue.length + this.#alone.length > 0) {
      await nextTurn()
      await this.#alone.shift()?.()
      const [first, others] = [this.#queue.filter(isFirst), this.#queue.filter((job) => !isFirst(job))]
      const waiting = [...first, ...others]
      this.#queue = []
      const begun = await this.#commit(waiting.slice(0, GROUP_LIMIT))
      this.#queue.unshift(...waiting.slice(begun))
    }
    this.#draining = undefined
  }

  /** Returns how many of the group have begun; the others come with the next one. */
  async #commit(group: readonly Job[]): Promise<number> {
    const reads = group.every((job) => job.options.reads === true)
    const settled: Settled[] = []
    const ends = performance.now() + GROUP_MILLISECONDS
    let hasBegun = false
    try {
      await this.#begin(reads)
      hasBegun = true
      for (const job of group) {
        settled.push(await this.#runOne(job, group.length === 1))
        if (performance.now() > ends) break
      }
      this.#frame.commit()
    } catch (error) {
      this.#undo(settled, error)
      // The failure of one must not affect the others, so each gets its own COMMIT.
      if (hasBegun && group.length > 1) for (const job of group) await this.#commit([job])
      else for (const job of group) job.reject(error)
      return group.length
    }
    for (const { settle } of settled) settle()
    if (!reads) this.#afterCommit()
    return settled.length
  }

  /**
   * Waits without blocking the event loop, unlike SQLite itself. Only the first run that finds the database locked
   * waits; the ones behind it are late anyway.
   */
  async #begin(reads: boolean): Promise<void> {
    const giveUp = Date.now() + (this.#isLocked ? 0 : BUSY_MILLISECONDS)
    for (;;) {
      try {
        this.#frame.begin(reads)
        if (!reads) this.#isLocked = false
        return
      } catch (error) {
        if (!this.#frame.isBusy(error)) throw error
        this.#isLocked = Date.now() >= giveUp
        if (this.#isLocked) throw error
      }
      await sleep(LOOK_EVERY_MILLISECONDS)
    }
  }

  /** A single run can roll back the whole transaction, so it needs no savepoint. */
  async #runOne(job: Job, isAlone: boolean): Promise<Settled> {
    const undo: (() => void)[] = []
    let ended = false
    const execute = <Row>(statement: Statement<Row>) =>
      ended ? Promise.reject(new Error('A transaction was used after its end.')) : this.#execute(statement)
    const tx: Tx = { kind: 'sqlite', execute, onRollback: (fn) => void undo.push(fn) }
    if ((job.options.deadline ?? Infinity) < Date.now())
      return { job, undo, settle: () => job.reject(deadlinePassed()) }
    if (!isAlone) this.#frame.savepoint()
    try {
      const value = await withinTurn(job.run(tx))
      if (!isAlone) this.#frame.release()
      return { job, undo, settle: () => job.resolve(value) }
    } catch (error) {
      for (const fn of undo.toReversed()) fn()
      if (isAlone || !this.#frame.isOpen()) throw error
      this.#frame.rollbackToSavepoint(error)
      return { job, undo: [], settle: () => job.reject(error) }
    } finally {
      ended = true
    }
  }

  #undo(settled: readonly Settled[], error: unknown): void {
    this.#frame.rollback(error)
    for (const { undo } of settled.toReversed()) for (const fn of undo.toReversed()) fn()
  }
}

const isFirst = ({ options }: Job): boolean => options.first === true

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** A run that awaits anything else would delay every commit, so it fails loudly. */
function withinTurn<T>(run: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const probe = setImmediate(() => reject(new Error('A transaction awaited something other than its tx.')))
    const settle =
      <V>(how: (value: V) => void) =>
      (value: V) => {
        clearImmediate(probe)
        how(value)
      }
    run.then(settle(resolve), settle(reject))
  })
}
