import * as z from 'zod'
import { timestamp } from '../../model/clock.ts'
import type { SessionEnvironment } from '../../model/environment.ts'
import type { HookEvent } from '../../model/event.ts'
import { dropEnvironmentsBefore, findEnvironment, putEnvironment } from '../../store/environment.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative } from '../../store/session.ts'
import { staleSince } from '../call/context.ts'
import type { Call } from '../call/method.ts'
import * as p from '../call/params.ts'

/** The environment of a client, as `holdfast hook` tells it. */
export const toldEnvironment = z
  .strictObject({
    salt: p.name,
    path: p.textUpTo(100_000),
    home: p.textUpTo(4096),
    variables: z.record(z.string(), z.string()),
  })
  .optional()
  .describe('The environment of the client, with digests instead of values; kept when a session starts.')

const KEPT_MILLISECONDS = 60 * 24 * 60 * 60 * 1000

/** Keeps the environment that a session begins in; while the session runs, nobody replaces it. */
export async function keepEnvironment(
  tx: Tx,
  event: HookEvent,
  environment: SessionEnvironment | undefined,
  call: Call,
): Promise<void> {
  const { session, subagent, kind } = event
  if (environment === undefined || session === undefined || subagent !== undefined) return
  if (kind !== 'session.started' || (await isRunning(tx, session, call))) return
  const before = timestamp(call.context.clock.now() - KEPT_MILLISECONDS)
  await dropEnvironmentsBefore(tx, { before })
  await putEnvironment(tx, { session, environment, now: call.now })
}

async function isRunning(tx: Tx, session: string, { context }: Call): Promise<boolean> {
  if ((await findEnvironment(tx, session)) === undefined) return false
  const last = await findLastByNative(tx, { native_id: session })
  return last?.ended_at === null && (last.last_heartbeat ?? '') >= staleSince(context)
}
