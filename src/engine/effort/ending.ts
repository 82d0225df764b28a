import { isChild } from '../../model/child.ts'
import type { Effort } from '../../model/effort.ts'
import { startingCommand } from '../../model/plan/fields.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { isPrinted } from '../../model/plan/plan.ts'
import { startOn } from '../../model/task.ts'
import type { Tx } from '../../store/query.ts'
import { finishOf } from '../plan/finish-entry.ts'
import { followedBy } from '../plan/plan.ts'
import { aboveOf } from '../plan/rounds.ts'
import type { Ending } from './mover.ts'

/** How a finished effort ended, from the ledger. */
export async function endingOf(tx: Tx, effort: Effort): Promise<Ending> {
  const { finished_at: at } = effort
  const { outcome = 'completed', reason = null, description = null } = await finishOf(tx, effort.id)
  const above = isChild(effort) ? await aboveOf(tx, effort.id) : undefined
  const again = above === undefined ? await againCommand(tx, effort) : showCommand(above.effort)
  return {
    outcome,
    reason,
    description,
    at,
    again,
    parent: above?.effort ?? null,
  }
}

/** The command that does the same work again; a workflow is given the same values. */
export async function againCommand(tx: Tx, effort: Effort): Promise<string> {
  const { plan, values } = await followedBy(tx, effort)
  const { task_id, skill } = effort
  return plan !== undefined && isPrinted(plan)
    ? startingCommand(skill, plan.params ?? {}, values)
    : startOn(task_id, skill)
}
