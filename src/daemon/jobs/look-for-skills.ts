import type { Job, JobNeeds } from './job.ts'

/** Finds changes in folders that the system cannot watch. */
export const lookForSkills: Job<Pick<JobNeeds, 'skillFolders'>> = {
  name: 'look-for-skills',
  summary: 'Reread skills whose files changed without a notification.',
  every: () => 30_000,
  begin:
    ({ skillFolders }) =>
    () =>
      skillFolders.lookAgain(),
}
