import type { Session } from '../../model/session.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative, toSession } from '../../store/session.ts'
import type { Context } from '../call/context.ts'

/** The first of the sessions around a caller that this daemon knows; a client without our hooks is held by no rule. */
export async function knownAmong(
  tx: Tx,
  sessions: readonly string[],
  { store }: Context,
): Promise<Session | undefined> {
  for (const native_id of sessions) {
    const row = await findLastByNative(tx, { native_id })
    if (row !== undefined) return store.volatile.overlay(toSession(row))
  }
  return undefined
}
