import { claimLease, type Lease, LeaseLost, OURS, stillTaken } from '../../store/lease.ts'
import type { Context } from './context.ts'
import { inTurn } from './turn.ts'

/** Long enough to outlive several daemons that died with the lease. */
const LONGEST_WAIT_MILLISECONDS = 10_000

/**
 * Runs the work on one place on disk, one after the other among all daemons of the database. The work may run again,
 * if this daemon was paused for so long that another one got the place.
 */
export async function underLease<T>(
  { store, machine, newId }: Context,
  name: string,
  work: (lease: Lease) => Promise<T>,
  { deadline = Infinity }: { readonly deadline?: number } = {},
): Promise<T> {
  return await inTurn(name, async () => {
    const { database } = store
    if (database.kind === 'sqlite') return await work(OURS)
    const giveUp = performance.now() + Math.min(LONGEST_WAIT_MILLISECONDS, deadline - Date.now())
    for (;;) {
      const holder = `${machine.label} ${process.pid} ${newId()}`
      const lease = await claimLease(database, { name, holder }, giveUp)
      try {
        return await work(lease)
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error
        if (performance.now() > giveUp) throw stillTaken(name)
      } finally {
        await lease.abandon()
      }
    }
  })
}
