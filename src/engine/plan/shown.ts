import type { Seen } from '../../model/plan/shown.ts'
import { fromJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { dropPlanState, findPlanState, putPlanState } from '../../store/step.ts'

/** A client session, a sub-agent or a call of one, for an effort. */
export interface ShownTo {
  readonly effort_id: number
  readonly scope: string
}

/** What a scope has seen of steps, by step. */
export type SeenSteps = Readonly<Record<string, Seen>>

const nameOf = ({ scope }: ShownTo): string => `shown ${scope}`

/** The steps of which a scope has seen some lines; nothing is kept of those that were read whole. */
export async function seenBy(tx: Tx, to: ShownTo): Promise<SeenSteps> {
  const row = await findPlanState(tx, { effort_id: to.effort_id, name: nameOf(to) })
  return fromJson<SeenSteps>(row?.value ?? null, {})
}

/** Keeps what a scope has seen of a step, so that later answers add up; undefined forgets it. */
export async function keepSeen(
  tx: Tx,
  to: ShownTo,
  news: { readonly step: string; readonly seen: Seen | undefined; readonly now: string },
): Promise<void> {
  const { [news.step]: _, ...others } = await seenBy(tx, to)
  const steps = news.seen === undefined ? others : { ...others, [news.step]: news.seen }
  if (Object.keys(steps).length === 0) return await forgetSeen(tx, to)
  const { effort_id } = to
  await putPlanState(tx, { effort_id, name: nameOf(to), value: JSON.stringify(steps), now: news.now })
}

/** Forgets all that a scope has seen for an effort. */
export async function forgetSeen(tx: Tx, to: ShownTo): Promise<void> {
  await dropPlanState(tx, { effort_id: to.effort_id, name: nameOf(to) })
}
