import type { Job, JobNeeds } from './job.ts'

/** Values that cannot be written stay in memory, and the next run tries again. */
export const flushVolatile: Job<Pick<JobNeeds, 'store'>> = {
  name: 'flush-volatile',
  summary: 'Write heartbeats, context usage, loaded files and messages to the database.',
  every: () => 500,
  begin:
    ({ store }) =>
    () =>
      store.flush(),
}
