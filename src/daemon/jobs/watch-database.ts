import { keepDoubt, readDoubt } from '../doubt.ts'
import { errorDetails } from '../log.ts'
import type { Job, JobNeeds } from './job.ts'

/** Commits look by themselves; this looks while nothing is written. */
export const watchDatabase: Job<Pick<JobNeeds, 'home' | 'store' | 'log' | 'stop'>> = {
  name: 'watch-database',
  summary: 'Stop the daemon if its database, log or lock is removed, replaced or changed by another program.',
  every: ({ store }) => (store.database.files === undefined ? undefined : 1000),
  begin({ home, store, log, stop }) {
    const { files } = store.database
    files?.onDoubt(({ reason }) => {
      log.write('error', 'files in doubt', { message: reason })
      // The next caller starts a daemon, which checks the files.
      stop()
      try {
        keepDoubt(home, { ...readDoubt(home), stopped: reason })
      } catch (error) {
        log.write('warn', 'doubt not kept', errorDetails(error))
      }
    })
    return () => files?.look()
  },
}
