import { statSync } from 'node:fs'
import type { Job, JobNeeds } from './job.ts'

/**
 * Writes to a removed or replaced file would be lost with this process. Checks only the name,
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
      // Stop before acknowledging lost writes; the next caller starts a daemon on the current file.
      stop()
    }
  },
}
