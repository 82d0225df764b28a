import { timestamp } from '../../model/clock.ts'
import { record } from '../../store/ledger.ts'
import type { Context } from './context.ts'
import type { Call } from './method.ts'

/** The details of a call: its time and its ledger. */
export function callOf<P>(context: Context, prepared: P): Call<P> {
  const now = timestamp(context.clock.now())
  return { context, prepared, now, record: (tx, entry) => record(tx, entry, { id: context.newId(), now }) }
}
