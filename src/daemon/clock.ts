import type { Clock } from '../model/clock.ts'
import type { Database } from '../store/database.ts'

/** The clock of this machine. */
export const clock: Clock = { now: Date.now }

/** The clock for stored times: that of the server, if machines share one. */
export function storeClock({ server }: Pick<Database, 'server'>): Clock {
  if (server === undefined) return clock
  return {
    now: () => clock.now() + server.clock.ahead,
    get ahead() {
      return server.clock.ahead
    },
  }
}
