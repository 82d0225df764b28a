import type { CountedStatus } from '../engine/call/context.ts'
import { timestamp } from '../model/clock.ts'
import type { Counts } from '../model/count.ts'
import { type Drop, DROPS } from '../rpc/callers.ts'
import type { Log } from './log.ts'

/** Logs and counts the connections that the daemon closed although their callers kept them. */
export class Dropped {
  readonly #parts: { readonly log: Log; readonly counts: Counts }
  #count = 0
  #last: Omit<CountedStatus, 'count'> | undefined

  constructor(parts: { readonly log: Log; readonly counts: Counts }) {
    this.#parts = parts
  }

  /** Without the silent ones: a browser opens connections that it may never use. */
  get status(): CountedStatus | undefined {
    return this.#last && { count: this.#count, ...this.#last }
  }

  note(why: Drop): void {
    this.#parts.counts.drops++
    this.#parts.log.write('warn', 'connection dropped', { message: DROPS[why] })
    if (why === 'silent') return
    this.#count++
    this.#last = { last: DROPS[why], last_at: timestamp(Date.now()) }
  }
}
