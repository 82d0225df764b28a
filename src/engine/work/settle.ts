import type { Effort } from '../../model/effort.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { closeEffort } from '../effort/after-move.ts'
import { countsOf, isOver, whyParked } from '../effort/body-counts.ts'

/** A body of work in which nothing can go on ends with a report: finished, or parked with what the user must decide. */
export async function settleBody(tx: Tx, effort: Effort, call: Call): Promise<void> {
  const effort_id = effort.id
  if (effort.lifecycle === 'finished' || !(await isOver(tx, effort_id))) return
  const counts = await countsOf(tx, effort_id)
  const { done, failed, blocked } = counts
  if (done > 0 && failed + blocked === 0) {
    await closeEffort(tx, { effort_id, outcome: 'completed', result: { done, failed, blocked } }, call)
    return
  }
  await call.record(tx, {
    event_type: 'plan.parked',
    skill: effort.skill,
    effort_id,
    payload: { reason: await whyParked(tx, effort_id, counts), done, failed, blocked },
  })
}
