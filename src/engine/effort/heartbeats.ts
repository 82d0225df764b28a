import type { Tx } from '../../store/query.ts'
import { openSessionsOf, resetHeartbeat } from '../../store/session.ts'
import { flushSession } from '../../store/pending.ts'
import type { Call } from '../call/method.ts'

/** Resets the count of tool calls without a log entry. */
export async function resetHeartbeats(tx: Tx, effortId: number, call: Call): Promise<void> {
  for (const { id } of await openSessionsOf(tx, { effort_id: effortId })) await countAnew(tx, id, call)
}

/** The same for one session. */
export async function countAnew(tx: Tx, id: number, call: Call): Promise<void> {
  call.context.store.volatile.forgetReminder(id)
  await flushSession(tx, call.context.store.volatile, id)
  await resetHeartbeat(tx, call.context.store.volatile, { id, now: call.now })
}
