import { statSync } from 'node:fs'
import type { Job, JobNeeds } from './job.ts'

/**
 * What is written to a file that was removed or replaced would be gone with this process. Looked at by name only,
 * because opening it would drop SQLite's locks.
 */
export const watchDatabase: Job<Pick<JobNeeds, 'home' | 'log' | 'stop'>> = {
  name: 'watch-database',
  summary: 'Stop the daemon if its database file is removed or replaced.',
  every: ({ home }) => (home.isPostgres ? undefined : 1000),
  begin({ home: { database }, log, stop }) {
    const opened = statSync(database).ino
    let isGone = false
    return () => {
      if (isGone || statSync(database, { throwIfNoEntry: false })?.ino === opened) return
      isGone = true
      log.write('error', 'database gone', { message: `${database} was removed or replaced.` })
      // Nothing more is acknowledged that would be lost; the next caller starts a daemon with what is there now.
      stop()
    }
  },
}
