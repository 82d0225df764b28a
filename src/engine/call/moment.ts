import { timestamp } from '../../model/clock.ts'
import { record } from '../../store/ledger.ts'
import type { Context } from './context.ts'
import type { Call } from './method.ts'

/** The details of a call: its time and its ledger. */
export function callOf<P>(context: Context, prepared: P): Call<P> {
  const now = timestamp(context.clock.now())
  return { context, prepared, now, record: (tx, entry) => record(tx, entry, { id: context.newId(), now }) }
}

/** The same call on behalf of a client's session; its entries name that session unless they name another. */
export const inSession = <P>(call: Call<P>, native: unknown): Call<P> =>
  typeof native !== 'string'
    ? call
    : { ...call, record: (tx, entry) => call.record(tx, { session_id: native, ...entry }) }

/** The same call with its caller: the entries of a call that may loosen the rules say who made it. */
export const saidBy = <P>(call: Call<P>, by: unknown): Call<P> =>
  by === undefined
    ? call
    : { ...call, record: (tx, entry) => call.record(tx, { ...entry, payload: { ...entry.payload, by } }) }
