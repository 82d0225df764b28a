import { end } from '../../model/chain/move.ts'
import { isChild } from '../../model/child.ts'
import { type Effort, wordsOf } from '../../model/effort.ts'
import { chainOfEffort, openChainOf } from '../../store/continuation.ts'
import { toJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { newestOpenOf } from '../../store/session.ts'
import { callerOfEffort } from '../../store/span.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import type { Call } from '../call/method.ts'
import { beginChain, exitsOf, moveChain } from './frames.ts'

/** A skill that runs in no chain goes on with its default exit too, if its work ended by itself and nobody called it. */
export async function beginExits(tx: Tx, effort: Effort, call: Call): Promise<void> {
  const { id: effort_id, task_id, skill, result } = effort
  if (isChild(effort)) return
  const exits = await exitsOf(tx, effort, [])
  const session = exits.length === 0 ? undefined : await newestOpenOf(tx, { effort_id })
  if (session?.native_id == null || session.scope_of !== null) return
  const { native_id: session_id } = session
  const isBound =
    (await chainOfEffort(tx, { effort_id })) !== undefined ||
    (await openChainOf(tx, { session_id })) !== undefined ||
    (await callerOfEffort(tx, { effort_id }))?.effort_id != null
  const place = isBound ? undefined : await placeOfEffort(tx, { id: effort_id })
  if (place === undefined) return
  const own = { skill, args: wordsOf(effort), context: '', on_error: null, level: 'cooperative' } as const
  const about = { project_id: place.id, session_id, task_id, first: { effort_id } }
  const [first] = await beginChain(tx, { ...about, frames: [own, ...exits] }, call)
  if (first === undefined) return
  await moveChain(tx, first.chain_id, (all) => end(all, first.id, toJson(result)), call)
}
