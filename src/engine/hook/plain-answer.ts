import type { Decision } from '../../model/decision.ts'
import { isUnfinished } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import type { HookEvent } from '../../model/event.ts'
import { nextActions } from '../../model/plan/next-action.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative, toSession } from '../../store/session.ts'
import type { Call } from '../call/method.ts'
import { followedBy, whatNext } from '../plan/plan.ts'

/** The session and its effort after an event that was told by plain fields. */
export async function plainState(tx: Tx, { session: native = '' }: HookEvent, { context }: Call) {
  const row = await findLastByNative(tx, { native_id: native })
  if (row === undefined)
    throw new EngineError('invalid', `Session ${native} is unknown, so cwd is required.`, { field: 'cwd' })
  const session = context.store.volatile.overlay(toSession(row))
  return { session, effort: await effortIn(tx, session.effort_id) }
}

async function effortIn(tx: Tx, id: number) {
  const row = await findEffort(tx, { id })
  if (row === undefined || !isUnfinished(row)) return null
  const effort = toEffort(row)
  const followed = await followedBy(tx, effort)
  return {
    ...effort,
    phases: followed.phases,
    ...whatNext(followed, effort.current_phase),
    next: nextActions(effort, followed),
  }
}

/** A decision as fields of an answer, for callers that know no client. */
export const plainDecision = (decision: Decision) => ({
  ...(decision.kind === 'allow' ? { allow: true } : { [decision.kind]: true, reason: decision.reason }),
  injections: decision.contexts,
  ...(decision.notice !== undefined && { notice: decision.notice }),
})
