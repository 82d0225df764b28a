import { timestamp } from '../model/clock.ts'
import { forgetKeysBefore } from '../store/key.ts'
import type { Store } from '../store/store.ts'
import { clock } from './clock.ts'

const KEPT_FOR_MILLISECONDS = 7 * 24 * 3600 * 1000

/** Deletes stored answers of calls that are too old to be repeated. */
export async function forgetOldKeys(store: Store): Promise<void> {
  const before = timestamp(clock.now() - KEPT_FOR_MILLISECONDS)
  await store.transact((tx) => forgetKeysBefore(tx, { before }))
}
