import { type Level, LEVELS } from '../../model/level.ts'
import type { Session } from '../../model/session.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative, toSession } from '../../store/session.ts'
import { defaultLevel } from '../../store/setting.ts'
import { placeOfSession } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'

/** The most sessions and processes that a caller names. */
export const MOST_AROUND = 201

/** A session of an agent, and the level that holds it. */
interface Known {
  readonly session: Session
  readonly level: Level
}

/**
 * The session that holds a caller: of those around it that this daemon knows, the strictest, and of equals the
 * outermost, because a caller can add sessions but not remove them. A client without our hooks is held by no rule.
 */
export async function knownAmong(
  tx: Tx,
  sessions: readonly string[],
  context: Context,
): Promise<Known | undefined> {
  let strictest: Known | undefined
  for (const native_id of sessions) {
    const row = await findLastByNative(tx, { native_id })
    if (row === undefined) continue
    const session = context.store.volatile.overlay(toSession(row))
    const level = await levelOf(tx, session, context)
    if (strictest === undefined || LEVELS.indexOf(level) >= LEVELS.indexOf(strictest.level))
      strictest = { session, level }
  }
  return strictest
}

async function levelOf(tx: Tx, session: Session, { pausedUntil }: Context): Promise<Level> {
  if (pausedUntil() !== undefined) return 'observe'
  return (await placeOfSession(tx, session))?.level ?? (await defaultLevel(tx))
}
