import { call } from '../../engine/call/call.ts'
import { caller, type Job, type JobNeeds } from './job.ts'

/** Nobody may ask for work any more, and yet it must come to an end. */
export const takeBackItems: Job<Pick<JobNeeds, 'context' | 'log'>> = {
  name: 'take-back-items',
  summary: 'Take items of bodies of work back from workers that are silent, by the clock of the database.',
  every: () => 15_000,
  begin:
    ({ context, log }) =>
    async () => {
      const found = (await call(context, 'scheduler.expire', {}, caller)) as readonly Readonly<
        Record<string, unknown>
      >[]
      for (const one of found) log.write('warn', 'worker silent', one)
    },
}
