import type { Job, JobNeeds } from './job.ts'

/** The first run also waits, because the caller who started the daemon comes first. */
export const keepBallast: Job<Pick<JobNeeds, 'home' | 'ballast'>> = {
  name: 'keep-ballast',
  summary: 'Create the ballast file if it is missing and the disk has room.',
  every: ({ home }) => (home.isPostgres ? undefined : 60_000),
  begin:
    ({ ballast }) =>
    () =>
      ballast.look(),
}
