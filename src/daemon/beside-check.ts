import { pathToFileURL } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { extentFor } from '../store/damage.ts'
import type { Store } from '../store/store.ts'
import { damaged } from './damage.ts'
import { searchForDamage } from './damage-thread.ts'
import { see } from './files-of.ts'
import type { Home } from './home.ts'
import { errorDetails, type Log } from './log.ts'

interface Checked {
  readonly home: Home
  readonly store: Store
  readonly log: Log
}

/** Checks a database that is too large to be checked before it serves. */
export function besideCheck({ home, store, log }: Checked) {
  const { files } = store.database
  let worker: Worker | undefined
  return {
    begin(): void {
      if (files === undefined) return
      const extent = extentFor(see(home.database)?.size ?? 0)
      if (extent === 'whole') return
      const begun = performance.now()
      worker = searchForDamage({ url: pathToFileURL(home.database).href, extent })
      worker.unref()
      worker.on('message', (damage: string | undefined) => {
        if (damage !== undefined) files.mistrust({ reason: damaged(home, damage), isContent: true })
      })
      worker.on('error', (error) => log.write('warn', 'check failed', errorDetails(error)))
      worker.on('exit', (code) => {
        const milliseconds = Math.round(performance.now() - begun)
        if (code === 0 && files.doubt() === undefined)
          log.write('debug', 'database checked', { milliseconds })
      })
    },
    /** Before the database is closed, because another connection would keep its log. */
    async close(): Promise<void> {
      await worker?.terminate()
    },
  }
}
