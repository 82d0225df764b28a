import type { Job, JobNeeds } from './job.ts'

/** Counts periodically, because counting for each caller would cost more than serving it. */
export const countDescriptors: Job<Pick<JobNeeds, 'descriptors'>> = {
  name: 'count-descriptors',
  summary: 'Count open files and connections, and warn when the limit is close.',
  every: () => 10_000,
  begin:
    ({ descriptors }) =>
    () =>
      descriptors.look(),
}
