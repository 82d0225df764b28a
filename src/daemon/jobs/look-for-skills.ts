import type { Job, JobNeeds } from './job.ts'

/** Where the system cannot watch a folder, only looking finds what has changed. */
export const lookForSkills: Job<Pick<JobNeeds, 'skillFolders'>> = {
  name: 'look-for-skills',
  summary: 'Reread skills whose files changed without a notification.',
  every: () => 30_000,
  begin:
    ({ skillFolders }) =>
    () =>
      skillFolders.lookAgain(),
}
