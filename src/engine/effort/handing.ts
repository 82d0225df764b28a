import { type Effort, isUnfinished } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { findOpenOfAgent } from '../../store/session.ts'
import type { Tx } from '../../store/query.ts'
import type { Context } from '../call/context.ts'
import { heldBy, type Holder, holderOf, holderText } from './holder.ts'

/** Which agent gets or loses an effort, and the client's session that says so; a terminal has none. */
export interface Handing {
  readonly effort: Effort
  readonly agent_id: string
  readonly native_id: string | undefined
  /** The command that does it anyway; an agent may run it only after the user said yes. */
  readonly take: string
}

/** Refuses a client that would give away an effort on which a live session of another works. */
export async function refuseClaim(tx: Tx, handing: Handing, context: Context): Promise<void> {
  const { effort, agent_id, native_id } = handing
  if (native_id === undefined || !isUnfinished(effort)) return
  const holder = await holderOf(tx, effort, { agent_id, native_id }, context)
  if (holder?.kind === 'session' && !holder.isSilent) throw taken(handing, holder, context)
}

/** Refuses a client that would take an effort from another agent whose session is live. */
export async function refuseRelease(tx: Tx, handing: Handing, context: Context): Promise<void> {
  const { agent_id, native_id } = handing
  if (native_id === undefined) return
  const open = await findOpenOfAgent(tx, { agent_id })
  const isOwn = open.some((row) => [row.native_id, row.scope_of].includes(native_id))
  const live = open.map((row) => heldBy(row, context)).find(({ isSilent }) => !isSilent)
  if (!isOwn && live !== undefined) throw taken(handing, live, context)
}

function taken({ effort, agent_id, take }: Handing, holder: Holder, context: Context): EngineError {
  const message = `Effort ${effort.id} belongs to ${holderText(holder, context)}. Take it only if the user asks for it.`
  return new EngineError('conflict', message, {
    field: 'effort_id',
    hint: take,
    record: {
      event_type: 'agent.refused',
      agent_id,
      skill: effort.skill,
      effort_id: effort.id,
      payload: { reason: message },
    },
  })
}
