import { ensureAdHocEffort, findAdHocEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'

/** The ad-hoc effort of a task; made when a session first needs it. */
export async function standingEffort(tx: Tx, task_id: string, { now }: Pick<Call, 'now'>) {
  const known = await findAdHocEffort(tx, { task_id })
  if (known !== undefined) return known
  await ensureAdHocEffort(tx, { task_id, now })
  const made = await findAdHocEffort(tx, { task_id })
  if (made === undefined) throw new Error('The ad-hoc effort was not stored.')
  return made
}
