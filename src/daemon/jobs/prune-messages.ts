import { prune } from '../prune.ts'
import type { Job, JobNeeds } from './job.ts'

/** SQLite uses freed pages again, so the file stops growing; giving them back would need a long lock. */
export const pruneOldMessages: Job<Pick<JobNeeds, 'home' | 'log' | 'store'>> = {
  name: 'prune-messages',
  summary: 'Delete tool messages of sessions that ended long ago, unless their effort is open.',
  every: ({ home }) => (home.keepDays === undefined ? undefined : 3_600_000),
  begin:
    ({ home, log, store }) =>
    async (stopping) => {
      const { messages, sessions, days } = await prune({ home, store, stopping })
      if (messages > 0) log.write('info', 'pruned', { messages, sessions, days })
    },
}
