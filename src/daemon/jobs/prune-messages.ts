import { prune } from '../prune.ts'
import type { Job, JobNeeds } from './job.ts'

const HOUR_MILLISECONDS = 3_600_000

/** SQLite uses freed pages again, so the file stops growing; giving them back would need a long lock. */
export const pruneOldMessages: Job<Pick<JobNeeds, 'home' | 'log' | 'store'>> = {
  name: 'prune-messages',
  summary: 'Delete tool messages of sessions that ended long ago, unless their effort is open.',
  // Often, because a daemon may live for minutes only.
  every: ({ home }) => (home.keepDays === undefined ? undefined : 60_000),
  begin({ home, log, store }) {
    let next = 0
    return async (stopping) => {
      if (performance.now() < next) return
      next = performance.now() + HOUR_MILLISECONDS
      const { messages, sessions, days } = await prune({ home, store, stopping })
      if (messages > 0) log.write('info', 'pruned', { messages, sessions, days })
    }
  },
}
