import { timestamp } from '../../model/clock.ts'
import { forgetKeysBefore } from '../../store/key.ts'
import { forgetLeasesBefore } from '../../store/lease-row.ts'
import { storeClock } from '../clock.ts'
import type { Job, JobNeeds } from './job.ts'

const KEPT_FOR_MILLISECONDS = 7 * 24 * 3600 * 1000

/** Periodic, because a daemon may run for months. */
export const forgetOldKeys: Job<Pick<JobNeeds, 'store'>> = {
  name: 'forget-old-keys',
  summary:
    'Delete stored answers of calls that are a week old, too old to be repeated, and leases of daemons that died.',
  every: () => 60_000,
  begin:
    ({ store }) =>
    async () => {
      const before = timestamp(storeClock(store.database).now() - KEPT_FOR_MILLISECONDS)
      await store.transact(async (tx) => {
        await forgetKeysBefore(tx, { before })
        await forgetLeasesBefore(tx, { before })
      })
    },
}
