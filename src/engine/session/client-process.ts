import { findEnvironmentOn } from '../../store/environment.ts'
import type { Tx } from '../../store/query.ts'
import type { Machine } from '../call/context.ts'

/** Whether the client of a session still runs; unknown for other machines, and where nobody told its process. */
export async function clientState(
  tx: Tx,
  native_id: string | null,
  { machine_id, isRunning }: Machine,
): Promise<'running' | 'gone' | 'unknown'> {
  const found =
    native_id === null ? undefined : await findEnvironmentOn(tx, { session: native_id, machine_id })
  const { lasting = [] } = found ?? {}
  if (lasting.length === 0) return 'unknown'
  return lasting.some((one) => isRunning(one)) ? 'running' : 'gone'
}
