import { after } from '../../rpc/patience.ts'
import { errorDetails, type Log } from '../log.ts'
import type { Job } from './job.ts'

/** So many kinds of failure of one job are remembered. */
const MOST_KINDS = 100

interface StartedJobs {
  /** No more runs; resolves when those under way have ended, or when patience has. */
  readonly stop: (patienceMilliseconds: number) => Promise<void>
}

/** Runs each job again and again. What fails is logged once for each kind of failure, and tried again. */
export function startJobs<Needs>(jobs: readonly Job<Needs>[], needs: Needs, log: Log): StartedJobs {
  const started = jobs.flatMap((job) => {
    const every = job.every(needs)
    return every === undefined ? [] : [startJob(told(job, needs, log), every)]
  })
  return {
    async stop(patienceMilliseconds) {
      for (const { timer } of started) clearInterval(timer)
      const patience = after(patienceMilliseconds)
      await Promise.race([Promise.all(started.map(({ ended }) => ended())), patience.passed])
      patience.forget()
    },
  }
}

/** A run that takes longer than its time is not joined by another. */
function startJob(run: () => Promise<void>, every: number) {
  let underWay: Promise<void> | undefined
  const timer = setInterval(() => {
    underWay ??= run().finally(() => void (underWay = undefined))
  }, every).unref()
  return { timer, ended: () => underWay ?? Promise.resolve() }
}

/** Never fails. A kind that was told is told again after the job has succeeded. */
function told<Needs>(job: Job<Needs>, needs: Needs, log: Log): () => Promise<void> {
  const run = job.begin(needs)
  const kinds = new Set<unknown>()
  return async () => {
    try {
      await run()
      kinds.clear()
    } catch (error) {
      const details = errorDetails(error)
      if (kinds.has(details['message'])) return
      if (kinds.size >= MOST_KINDS) kinds.clear()
      kinds.add(details['message'])
      log.write('warn', 'job failed', { job: job.name, ...details })
    }
  }
}
