import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError } from '../model/error.ts'
import type { Database } from './database.ts'
import {
  type Claim,
  type Claimed,
  deleteLease,
  insertLease,
  LEASE_MILLISECONDS,
  renewLease,
} from './lease-row.ts'
import type { Tx } from './query.ts'

/** A write must begin within this time; the rest of the lease is for the write. */
const MAY_WRITE_MILLISECONDS = (LEASE_MILLISECONDS * 2) / 3
const LONGEST_PAUSE_MILLISECONDS = 20

/** The right to change one place on a disk that other daemons may share. */
export interface Lease {
  /** Who has it and by which claim, for what is intended under it; nothing on SQLite. */
  readonly mark: { readonly holder?: string; readonly fence?: number }
  /** Right before a write: throws if another daemon may have the lease by now. Nothing on SQLite. */
  readonly check: (() => void) | undefined
  /** Holds it on, in the transaction that depends on it; throws if another daemon has it. */
  renew(tx: Tx): Promise<void>
  /** Gives it up with the transaction that completes the work. */
  end(tx: Tx): Promise<void>
}

/** Another daemon has or may have the lease, so the work begins again with a new one. */
export class LeaseLost extends Error {}

/** One daemon owns a SQLite database, so it has every lease. */
export const OURS: Lease = {
  mark: {},
  check: undefined,
  renew: () => Promise.resolve(),
  end: () => Promise.resolve(),
}

/** Waits until the place is free; `giveUp` is a moment of the monotonic clock. */
export async function claimLease(database: Database, claim: Claim, giveUp: number): Promise<DatabaseLease> {
  for (;;) {
    let age = stopwatch()
    const row = await database.transact(
      (tx) => {
        age = stopwatch()
        return insertLease(tx, claim)
      },
      { repeatable: true },
    )
    if (row !== undefined) return new DatabaseLease(database, { ...claim, ...row }, age)
    if (performance.now() > giveUp) throw stillTaken(claim.name)
    await sleep(Math.random() * LONGEST_PAUSE_MILLISECONDS)
  }
}

export const stillTaken = (name: string) =>
  new EngineError('timeout', `Another daemon kept this one from writing: ${name}.`, {
    hint: 'Repeat the call with the same idempotency_key.',
  })

class DatabaseLease implements Lease {
  readonly mark: Required<Lease['mark']>
  readonly #database: Database
  readonly #claim: Claimed
  #age: () => number
  #isEnded = false

  constructor(database: Database, claim: Claimed, age: () => number) {
    this.mark = { holder: claim.holder, fence: claim.fence }
    this.#database = database
    this.#claim = claim
    this.#age = age
  }

  readonly check = (): void => {
    if (this.#age() > MAY_WRITE_MILLISECONDS) throw new LeaseLost()
  }

  async renew(tx: Tx): Promise<void> {
    const age = stopwatch()
    if ((await renewLease(tx, this.#claim)) === undefined) throw new LeaseLost()
    this.#age = age
  }

  async end(tx: Tx): Promise<void> {
    await deleteLease(tx, this.#claim)
    this.#isEnded = true
    tx.onRollback(() => void (this.#isEnded = false))
  }

  /** For work that failed; if this fails too, the lease expires. */
  async abandon(): Promise<void> {
    if (this.#isEnded) return
    await this.#database.transact((tx) => this.end(tx)).catch(() => undefined)
  }
}

/** One clock may stand still while the machine sleeps, the other may be set back. */
function stopwatch(): () => number {
  const [steady, wall] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - steady, Date.now() - wall)
}
