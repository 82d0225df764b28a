import { timestamp } from '../../model/clock.ts'
import type { Effort } from '../../model/effort.ts'
import { type Session, silenceOf } from '../../model/session.ts'
import { relativeTime } from '../../model/text/time.ts'
import { findOwner } from '../../store/agent.ts'
import type { Tx } from '../../store/query.ts'
import { servedByOthers, toSession } from '../../store/session.ts'
import { type Context, staleSince } from '../call/context.ts'

/** The identity of a caller, as far as it is known. */
export interface Asker {
  readonly agent_id?: string | undefined
  readonly native_id?: string | undefined
}

/** The agent that owns an effort, or another active session that serves it. */
export type Holder =
  | { readonly kind: 'agent'; readonly id: string }
  | { readonly kind: 'session'; readonly session: Session }

export async function holderOf(
  tx: Tx,
  effort: Effort,
  { agent_id, native_id }: Asker,
  context: Context,
): Promise<Holder | undefined> {
  const owner = await findOwner(tx, { effort_id: effort.id })
  if (owner !== undefined) return owner.id === agent_id ? undefined : { kind: 'agent', id: owner.id }
  const wanted = { effort_id: effort.id, native_id: native_id ?? '', since: staleSince(context) }
  const now = context.clock.now()
  const [other] = (await servedByOthers(tx, wanted))
    .map((row) => context.store.volatile.overlay(toSession(row)))
    .toSorted((a, b) => silenceOf(a, now) - silenceOf(b, now))
  return other === undefined ? undefined : { kind: 'session', session: other }
}

/** Names the holder; for a session also its last activity and when it becomes stale. */
export function holderText(holder: Holder, { clock, staleAfterSeconds }: Context): string {
  if (holder.kind === 'agent') return `agent ${holder.id}`
  const { session } = holder
  const now = clock.now()
  const heard = now - silenceOf(session, now)
  const gone = heard + staleAfterSeconds * 1000
  const name = `${session.client ?? 'a client'} ${session.native_id ?? ''}`
  const silence = `last active ${relativeTime(timestamp(heard), now)}, free ${relativeTime(timestamp(gone), now)} if it stays silent`
  return `session ${session.id} (${name}, ${silence})`
}

/** The command that frees an effort at once, in case the client of its session has crashed. */
export const freeCommand = (holder: Holder): string | undefined =>
  holder.kind === 'session' ? `holdfast session finish ${holder.session.id}` : undefined
