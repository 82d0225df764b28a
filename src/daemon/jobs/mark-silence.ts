import { call } from '../../engine/call/call.ts'
import { caller, type Job, type JobNeeds } from './job.ts'

/** A killed client sends no event, so this job detects its silence. */
export const markSilence: Job<Pick<JobNeeds, 'context'>> = {
  name: 'mark-silence',
  summary: 'Mark sessions as stale when their client has been silent for too long.',
  every: () => 30_000,
  begin:
    ({ context }) =>
    async () => {
      await call(context, 'db.session.markStale', {}, caller)
    },
}
