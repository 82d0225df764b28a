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

/** The number and the start of a process. */
export const processId = z
  .string()
  .max(40)
  .regex(/^\d+:\d+$/, 'must be such as 4711:123456')

/** A session can be continued in another process of the client. */
const MOST_CLIENTS = 20

/** The environment of a client, as `holdfast hook` tells it. */
export const toldEnvironment = z
  .strictObject({
    salt: p.name,
    path: p.textUpTo(100_000),
    home: p.textUpTo(4096),
    variables: z.record(z.string(), z.string()),
    clients: z.array(processId).max(MOST_CLIENTS).optional(),
  })
  .optional()
  .describe('The environment of the client, with digests instead of values; kept when a session starts.')

const KEPT_MILLISECONDS = 60 * 24 * 60 * 60 * 1000

/** Keeps the environment that a session begins in; while the session runs, a start only adds its client. */
export async function keepEnvironment(
  tx: Tx,
  event: HookEvent,
  environment: SessionEnvironment | undefined,
  call: Call,
): Promise<void> {
  const { session, subagent, kind } = event
  if (environment === undefined || session === undefined || subagent !== undefined) return
  if (kind === 'prompt.submitted') return await keepLasting(tx, session, environment, call)
  if (kind !== 'session.started') return
  const before = timestamp(call.context.clock.now() - KEPT_MILLISECONDS)
  await dropEnvironmentsBefore(tx, { before })
  const kept = await keptWhileRunning(tx, session, call)
  const told = [...(kept?.clients ?? []), ...(environment.clients ?? [])]
  const clients = [...new Set(told)].slice(-MOST_CLIENTS)
  await putEnvironment(tx, { session, environment: { ...(kept ?? environment), clients }, now: call.now })
}

/** A process that sends a start and a later prompt is the client itself. */
async function keepLasting(
  tx: Tx,
  session: string,
  { clients: now = [] }: SessionEnvironment,
  call: Call,
): Promise<void> {
  const kept = await findEnvironment(tx, session)
  if (kept === undefined) return
  const { clients = [], lasting = [] } = kept
  const news = now.filter((one) => clients.includes(one) && !lasting.includes(one))
  if (news.length === 0) return
  const environment = { ...kept, lasting: [...lasting, ...news].slice(-MOST_CLIENTS) }
  await putEnvironment(tx, { session, environment, now: call.now })
}

async function keptWhileRunning(
  tx: Tx,
  session: string,
  { context }: Call,
): Promise<SessionEnvironment | undefined> {
  const last = await findLastByNative(tx, { native_id: session })
  const isRunning = last?.ended_at === null && (last.last_heartbeat ?? '') >= staleSince(context)
  return isRunning ? await findEnvironment(tx, session) : undefined
}
