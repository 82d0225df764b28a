import { type Effort, isUnfinished } from '../../model/effort.ts'
import { agentNotFound } from '../../model/error.ts'
import { findAgent } from '../../store/agent.ts'
import { lockEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative } from '../../store/session.ts'
import { openSpansOf } from '../../store/span.ts'
import type { Context } from '../call/context.ts'
import { type Asker, hasIdentity } from './holder.ts'
import { soleEffort, type Wish } from './meant.ts'
import { threadOf } from './thread.ts'

/**
 * The effort that a call of a skill goes on with; undefined if the call begins one. A session or an agent goes on only
 * with its own, and somebody at a terminal with the only one here.
 */
export async function ownWork(
  tx: Tx,
  wish: Wish & { readonly skill: string },
  context: Context,
): Promise<Effort | undefined> {
  const { asker, several } = await threadOf(tx, wish, context)
  if (hasIdentity(asker) && several.length === 0 && wish.effort_id === undefined)
    return await servedBy(tx, wish.skill, asker)
  const { effort } = await soleEffort(tx, wish, context, { verb: 'worked on', finished: true })
  const isMeant = effort !== undefined && (wish.effort_id !== undefined || isUnfinished(effort))
  return isMeant ? effort : undefined
}

/** The active effort of a skill that a session serves or left for a skill that it called, or that an agent owns. */
async function servedBy(tx: Tx, skill: string, { native_id, agent_id }: Asker): Promise<Effort | undefined> {
  const agent = agent_id === undefined ? undefined : await findAgent(tx, { id: agent_id })
  if (agent_id !== undefined && agent === undefined) throw agentNotFound(agent_id)
  const window = native_id === undefined ? undefined : await findOpenByNative(tx, { native_id })
  const spans = native_id === undefined ? [] : await openSpansOf(tx, { session_id: native_id })
  const ids = [
    window?.effort_id,
    ...spans.filter((span) => span.skill === skill).map(({ effort_id }) => effort_id),
    agent?.effort_id,
  ]
  for (const id of new Set(ids)) {
    // Locked, because two calls at once must not both find none.
    const row = id == null ? undefined : await lockEffort(tx, { id })
    if (row?.skill === skill && row.lifecycle === 'active') return toEffort(row)
  }
  return undefined
}
