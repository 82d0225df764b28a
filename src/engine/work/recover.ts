import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { standings } from '../../model/work/plan.ts'
import type { Tx } from '../../store/query.ts'
import { putVisit } from '../../store/step.ts'
import { allBlockers, allowAgain, setStanding, toTried, triedItems } from '../../store/work.ts'
import type { Call } from '../call/method.ts'
import type { ItemKey } from './around.ts'
import { settleBody } from './settle.ts'
import { existing, takeBackExpired } from './turn.ts'

/** Computes where every item of a locked body stands from its visits, and stores what differs. */
async function recompute(tx: Tx, { id: effort_id }: Effort, call: Call): Promise<readonly string[]> {
  const rows = await triedItems(tx, { effort_id })
  const edges = Map.groupBy(await allBlockers(tx, { effort_id }), ({ item }) => item)
  const tried = rows.map((row) => {
    const known = toTried(
      row,
      (edges.get(row.item) ?? []).map(({ blocker }) => blocker),
    )
    // A try without a worker has no end of its own.
    const isLost = known.visit !== undefined && known.visit.outcome === undefined && row.state !== 'taken'
    return isLost ? { ...known, isLost, visit: { ...known.visit, outcome: 'fail' } } : { ...known, isLost }
  })
  for (const { item, visit, isLost } of tried)
    if (isLost)
      await putVisit(tx, {
        effort_id,
        step: item,
        attempts: visit?.attempts ?? 1,
        now: call.now,
        completed_at: call.now,
        outcome: 'fail',
      })
  const now = standings(tried)
  const changed: string[] = []
  for (const { item, state, blocker, reason } of rows) {
    const standing = now.get(item)
    if (standing === undefined || (standing.state === state && (standing.blocker ?? null) === blocker))
      continue
    await setStanding(tx, {
      effort_id,
      item,
      state: standing.state,
      blocker: standing.blocker ?? null,
      reason,
    })
    changed.push(item)
  }
  return changed
}

/** Brings a locked body of work up to date: silent workers lose their items, and every item stands where its visits say. */
export async function recoverBody(tx: Tx, effort: Effort, call: Call) {
  const expired = await takeBackExpired(tx, effort, call)
  const changed = await recompute(tx, effort, call)
  return { expired, changed }
}

/** The user lets an item be tried once more; what waits for it goes on. */
export async function allowItem(
  tx: Tx,
  effort: Effort,
  { effort_id, item, reason }: ItemKey & { readonly reason: string },
  call: Call,
): Promise<void> {
  const row = await existing(tx, { effort_id, item })
  if (row.blocker !== null || (row.state !== 'failed' && row.state !== 'blocked'))
    throw new EngineError(
      'conflict',
      row.blocker === null
        ? `Item ${item} is ${row.state}, so there is nothing to allow.`
        : `Item ${item} waits for item ${row.blocker}; allow that one.`,
      { field: 'item', hint: `holdfast work show ${row.blocker ?? item} --effort ${effort_id}` },
    )
  const most_tries = Math.max(row.most_tries, (row.attempts ?? 0) + 1)
  await allowAgain(tx, { effort_id, item, most_tries })
  await call.record(tx, {
    event_type: 'item.allowed',
    skill: effort.skill,
    phase: item,
    effort_id,
    payload: { reason, limit: most_tries },
  })
  await recompute(tx, effort, call)
  await settleBody(tx, effort, call)
}
