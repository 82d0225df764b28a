import { anyOpenSession } from '../../store/session.ts'
import type { Job, JobNeeds } from './job.ts'

const AT_LATEST_MILLISECONDS = 60_000

/**
 * Never stops while a session is open, because its next hooks would be lost. Uses a monotonic clock, so that
 * clock changes have no effect.
 */
export const stopWhenIdle: Job<Pick<JobNeeds, 'home' | 'log' | 'store' | 'counts' | 'stop'>> = {
  name: 'stop-when-idle',
  summary: 'Stop the daemon after HOLDFAST_IDLE_SECONDS without a call.',
  every: ({ home: { idleSeconds } }) =>
    idleSeconds === undefined ? undefined : Math.min((idleSeconds * 1000) / 4, AT_LATEST_MILLISECONDS),
  begin({ home: { idleSeconds = Infinity }, log, store, counts, stop }) {
    let known = { calls: counts.calls, at: performance.now() }
    let isIdle = false
    const isNeeded = () => counts.calls !== known.calls || counts.connections > 0
    return async () => {
      if (isNeeded()) known = { calls: counts.calls, at: performance.now() }
      if (isIdle || performance.now() < known.at + idleSeconds * 1000) return
      const open = await store.transact((tx) => anyOpenSession(tx, {}), { reads: true })
      // A caller may have come meanwhile.
      if (open !== undefined || isNeeded()) return
      isIdle = true
      log.write('info', 'idle', { seconds: idleSeconds })
      stop()
    }
  },
}
