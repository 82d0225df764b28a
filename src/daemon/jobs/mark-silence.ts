import { call } from '../../engine/call/call.ts'
import type { Job, JobNeeds } from './job.ts'

const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }

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
