import { isChild } from '../../model/child.ts'
import type { Effort } from '../../model/effort.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { startOn } from '../../model/task.ts'
import type { Tx } from '../../store/query.ts'
import { finishOf } from '../plan/finish-entry.ts'
import { aboveOf } from '../plan/rounds.ts'
import type { Ending } from './mover.ts'

/** How a finished effort ended, from the ledger. */
export async function endingOf(tx: Tx, effort: Effort): Promise<Ending> {
  const { task_id, skill, finished_at: at } = effort
  const { outcome = 'completed', reason = null, description = null } = await finishOf(tx, effort.id)
  const above = isChild(effort) ? await aboveOf(tx, effort.id) : undefined
  return {
    outcome,
    reason,
    description,
    at,
    again: above === undefined ? startOn(task_id, skill) : showCommand(above.effort),
    parent: above?.effort ?? null,
  }
}
