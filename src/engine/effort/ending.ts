import type { Effort } from '../../model/effort.ts'
import { shellWord } from '../../model/shell/word.ts'
import { listLedger } from '../../store/ledger.ts'
import type { Tx } from '../../store/query.ts'
import type { Ending } from './mover.ts'

/** How a finished effort ended, from the ledger. */
export async function endingOf(tx: Tx, effort: Effort): Promise<Ending> {
  const { id: effort_id, task_id, skill, finished_at: at } = effort
  const filter = { effort_id, event_types: ['effort.finished'], newestFirst: true, limit: 1 } as const
  const [entry] = await listLedger(tx, filter)
  const told = (entry?.payload ?? {}) as {
    readonly outcome?: string
    readonly reason?: string
    readonly description?: string
  }
  return {
    outcome: told.outcome ?? 'completed',
    reason: told.reason ?? null,
    description: told.description ?? null,
    at,
    again: `holdfast effort start ${shellWord(task_id)} ${shellWord(skill)}`,
  }
}
