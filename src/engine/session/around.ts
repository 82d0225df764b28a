import * as z from 'zod'
import { byClock } from '../../model/clock.ts'
import { type Level, LEVELS } from '../../model/level.ts'
import type { Session } from '../../model/session.ts'
import { findSessionOfClient } from '../../store/environment.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative, toSession } from '../../store/session.ts'
import type { Context } from '../call/context.ts'
import * as p from '../call/params.ts'
import { processId } from './environment.ts'
import { levelOfSession } from './level-kept.ts'

const MOST_AROUND = 201

/** Who calls, as our program tells it. */
export const aroundCaller = {
  sessions: z
    .array(p.name)
    .max(MOST_AROUND)
    .default([])
    .describe('The sessions of clients around the caller.'),
  processes: z
    .array(z.strictObject({ id: processId, began: z.int(), session: p.name.optional() }))
    .max(MOST_AROUND)
    .default([])
    .describe('The process of the caller and its ancestors, nearest first.'),
}

interface Around {
  readonly sessions: readonly string[]
  readonly processes: readonly { id: string; began: number; session?: string | undefined }[]
}

/** A session of an agent, and the level that holds it. */
export interface Known {
  readonly session: Session
  readonly level: Level
  /** When the outermost process inside the client began, in milliseconds; undefined if it is unknown. */
  readonly began: number | undefined
}

/**
 * The session that holds a caller: of those around it that this daemon knows, the strictest, and of equals the
 * outermost, because a caller can add sessions but not remove them. A client without our hooks is held by no rule.
 */
export async function knownAround(
  tx: Tx,
  { sessions, processes }: Around,
  context: Context,
): Promise<Known | undefined> {
  const inside = await insideClients(tx, processes)
  let strictest: Known | undefined
  for (const native_id of [...sessions.filter((one) => !inside.has(one)), ...inside.keys()]) {
    const row = await findLastByNative(tx, { native_id })
    if (row === undefined) continue
    const session = context.store.volatile.overlay(toSession(row))
    const level = await levelOfSession(tx, session, context)
    if (strictest !== undefined && LEVELS.indexOf(level) < LEVELS.indexOf(strictest.level)) continue
    const began = inside.get(native_id) ?? processes.findLast((one) => one.session === native_id)?.began
    strictest = { session, level, began: began === undefined ? undefined : byClock(context.clock, began) }
  }
  return strictest
}

/**
 * The session that really calls: the one that the nearest client told the process that it started, because everything
 * inside of that can name any session.
 */
export async function sessionAround(tx: Tx, processes: Around['processes']): Promise<string | undefined> {
  let child: Around['processes'][number] | undefined
  for (const one of processes) {
    const session = child === undefined ? undefined : await findSessionOfClient(tx, one.id)
    if (session !== undefined) return child?.session ?? session
    child = one
  }
  // The caller itself comes first, and names what it wants.
  return processes.slice(1).find(({ session }) => session !== undefined)?.session
}

/** When the process began that each client around the caller started, by the session of the client. */
async function insideClients(tx: Tx, processes: Around['processes']): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  let child: Around['processes'][number] | undefined
  for (const one of processes) {
    const session = child === undefined ? undefined : await findSessionOfClient(tx, one.id)
    if (session !== undefined && child !== undefined) found.set(session, child.began)
    child = one
  }
  return found
}
