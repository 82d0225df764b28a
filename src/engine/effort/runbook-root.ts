import type { Tx } from '../../store/query.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import type { Mover } from './mover.ts'

/** Where the steps of a runbook are done. */
export const rootOfEffort = async (tx: Tx, { effort }: Pick<Mover, 'effort'>): Promise<string> =>
  (await placeOfEffort(tx, effort))?.root ?? effort.task_id
