import { listLedger } from '../../store/ledger.ts'
import type { Tx } from '../../store/query.ts'

/** What the ledger says about the end of an effort; entries of older versions say less. */
export interface FinishEntry {
  readonly outcome?: string
  /** Why it was given up. */
  readonly reason?: string
  readonly description?: string
}

export async function finishOf(tx: Tx, effort_id: number): Promise<FinishEntry> {
  const filter = { effort_id, event_types: ['effort.finished'], newestFirst: true, limit: 1 } as const
  const [entry] = await listLedger(tx, filter)
  return entry?.payload ?? {}
}
