import { clockDifference, timestamp } from '../../model/clock.ts'
import type { Job, JobNeeds } from './job.ts'

/** Reports only changes, because the state lasts. */
export const watchServer: Job<Pick<JobNeeds, 'log' | 'store'>> = {
  name: 'watch-server',
  summary: 'Log when PostgreSQL stops or starts to answer, and when its clock differs from ours.',
  every: ({ store }) => (store.database.server === undefined ? undefined : 1000),
  begin({ log, store: { database } }) {
    let since: number | undefined
    let wasApart = false
    return () => {
      const { breaker, clock } = database.server ?? {}
      const apart = clockDifference(clock?.ahead ?? 0)
      if (apart !== undefined && !wasApart) log.write('warn', 'clock differs', { message: apart })
      wasApart = apart !== undefined
      if (breaker?.openSince === since) return
      if (since !== undefined) log.write('info', 'database back', { away_since: timestamp(since) })
      since = breaker?.openSince
      if (since !== undefined) log.write('error', 'database away', { message: AWAY })
    }
  },
}

const AWAY = 'PostgreSQL does not answer. Calls fail at once until it does; it is tried every second.'
