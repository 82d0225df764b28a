import { isBackupDue } from '../../model/backup.ts'
import { addBackup, listBackups } from '../backups.ts'
import { clock } from '../clock.ts'
import type { Job, JobNeeds } from './job.ts'

/** Looks often, because a machine may sleep or a daemon may run for minutes only. */
export const backUpDaily: Job<Pick<JobNeeds, 'home' | 'log'>> = {
  name: 'back-up-daily',
  summary: 'Make a backup of the SQLite database if the last one is a day old.',
  every: ({ home }) => (home.isPostgres || !home.backsUp ? undefined : 60_000),
  begin:
    ({ home, log }) =>
    async (stopping) => {
      if (!isBackupDue(listBackups(home), clock.now())) return
      const { path, bytes } = await addBackup(home, 'daily', { signal: stopping })
      log.write('info', 'backup made', { path, bytes })
    },
}
