import type { Effort } from '../../model/effort.ts'
import { startOn } from '../../model/task.ts'
import type { Tx } from '../../store/query.ts'
import { finishOf } from '../plan/finish-entry.ts'
import type { Ending } from './mover.ts'

/** How a finished effort ended, from the ledger. */
export async function endingOf(tx: Tx, effort: Effort): Promise<Ending> {
  const { task_id, skill, finished_at: at } = effort
  const { outcome = 'completed', reason = null, description = null } = await finishOf(tx, effort.id)
  return {
    outcome,
    reason,
    description,
    at,
    again: startOn(task_id, skill),
  }
}
