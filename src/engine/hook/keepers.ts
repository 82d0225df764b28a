import { type Effort, isUnfinished } from '../../model/effort.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative } from '../../store/session.ts'
import { openSpansOf } from '../../store/span.ts'
import { keptPlan } from '../skill/kept-plan.ts'

/** An unfinished effort of a session, with the plan and the places of files that it keeps. */
export interface Keeper {
  readonly effort: Effort
  readonly kept: NonNullable<Awaited<ReturnType<typeof keptPlan>>>
}

/** The efforts with these ids that keep a plan. */
export async function keepersAmong(
  tx: Tx,
  ids: Iterable<number | null | undefined>,
): Promise<readonly Keeper[]> {
  const found: Keeper[] = []
  for (const id of new Set(ids)) {
    const row = id == null ? undefined : await findEffort(tx, { id })
    if (row === undefined || !isUnfinished(row) || row.plan_digest === null) continue
    const kept = await keptPlan(tx, row.plan_digest)
    if (kept !== undefined) found.push({ effort: toEffort(row), kept })
  }
  return found
}

/** The same for a client's session, before its window is known. */
export async function keepersOf(tx: Tx, native_id: string): Promise<readonly Keeper[]> {
  const spans = await openSpansOf(tx, { session_id: native_id })
  const last = await findLastByNative(tx, { native_id })
  return await keepersAmong(tx, [...spans.map(({ effort_id }) => effort_id), last?.effort_id])
}
