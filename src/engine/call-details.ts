import { createHash } from 'node:crypto'
import { timestamp } from '../model/clock.ts'
import { record } from '../store/ledger.ts'
import type { Context } from './context.ts'
import type { Call } from './method.ts'

/** The moment of a call, and the ledger as it is written at that moment. */
export function callOf<P>(context: Context, prepared: P): Call<P> {
  const now = timestamp(context.clock.now())
  return { context, prepared, now, record: (tx, entry) => record(tx, entry, { id: context.newId(), now }) }
}

/** The same parameters give the same digest, in whatever order they were written. */
export const digestOf = (params: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(params)))
    .digest('hex')

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  )
}
