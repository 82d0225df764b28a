import type { Store } from '../../store/store.ts'
import { flushVolatile } from './flush-volatile.ts'
import { startJobs } from './start-jobs.ts'

/** A store that writes its volatile state during a test, as in a daemon. */
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
