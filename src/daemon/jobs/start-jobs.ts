import { after } from '../../rpc/patience.ts'
import { errorDetails, type Log } from '../log.ts'
import type { Job } from './job.ts'

/** The number of failure kinds that are remembered for each job. */
const MOST_KINDS = 100

interface StartedJobs {
  /** Starts no more runs; resolves when running ones end, or after the timeout. */
  readonly stop: (patienceMilliseconds: number) => Promise<void>
}

/** Runs each job periodically. Failures are logged once for each kind, and the job runs again. */
export function startJobs<Needs>(jobs: readonly Job<Needs>[], needs: Needs, log: Log): StartedJobs {
  const stopping = new AbortController()
  const started = jobs.flatMap((job) => {
    const every = job.every(needs)
    if (every === undefined) return []
    const run = told(job, needs, log)
    return [startJob(() => run(stopping.signal), every)]
  })
  return {
    async stop(patienceMilliseconds) {
      stopping.abort()
      for (const { timer } of started) clearInterval(timer)
      const patience = after(patienceMilliseconds)
      await Promise.race([Promise.all(started.map(({ ended }) => ended())), patience.passed])
      patience.forget()
    },
  }
}

/** Never runs a job twice at the same time. */
function startJob(run: () => Promise<void>, every: number) {
  let underWay: Promise<void> | undefined
  const timer = setInterval(() => {
    underWay ??= run().finally(() => void (underWay = undefined))
  }, every).unref()
  return { timer, ended: () => underWay ?? Promise.resolve() }
}

/** Never throws. Logs a kind of failure again only after the job has succeeded. */
function told<Needs>(job: Job<Needs>, needs: Needs, log: Log): (stopping: AbortSignal) => Promise<void> {
  const run = job.begin(needs)
  const kinds = new Set<unknown>()
  return async (stopping) => {
    try {
      await run(stopping)
      kinds.clear()
    } catch (error) {
      if (stopping.aborted) return
      const details = errorDetails(error)
      if (kinds.has(details['message'])) return
      if (kinds.size >= MOST_KINDS) kinds.clear()
      kinds.add(details['message'])
      log.write('warn', 'job failed', { job: job.name, ...details })
    }
  }
}
