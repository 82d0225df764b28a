import { ensureAdHocEffort, findAdHocEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { workplaceOfTask } from '../../store/workplace.ts'
import type { Call } from '../call/method.ts'

/** The ad-hoc effort of a task; made when a session first needs it. */
export async function findOrMakeAdHoc(tx: Tx, task_id: string, { now }: Pick<Call, 'now'>) {
  const known = await findAdHocEffort(tx, { task_id })
  if (known !== undefined) return known
  const place = await workplaceOfTask(tx, { dir_path: task_id })
  if (place === undefined) throw new Error('The task has no workplace.')
  await ensureAdHocEffort(tx, { task_id, workplace_id: place.workplace_id, now })
  const made = await findAdHocEffort(tx, { task_id })
  if (made === undefined) throw new Error('The ad-hoc effort was not stored.')
  return made
}
