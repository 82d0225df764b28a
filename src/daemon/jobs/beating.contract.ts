import type { Store } from '../../store/store.ts'
import { flushVolatile } from './flush-volatile.ts'
import { startJobs } from './start-jobs.ts'

/** A store whose volatile state is written as in a daemon, in the middle of what a test does. */
export function beating(store: Store): Store {
  const beat = startJobs([flushVolatile], { store }, { write: () => undefined, close: () => undefined })
  return {
    ...store,
    async close() {
      await beat.stop(0)
      await store.close()
    },
  }
}
