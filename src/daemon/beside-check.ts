import { Worker } from 'node:worker_threads'
import type { Store } from '../store/store.ts'
import { CHECKED_AT_ONCE_BYTES, damaged } from './examine.ts'
import { see } from './files-of.ts'
import type { Home } from './home.ts'
import { errorDetails, type Log } from './log.ts'

/**
 * Checks one table after the other, so that it can stop between two. It runs in the same process, because SQLite shares
 * its locks there, and as text, because the package is one file.
 */
const SCRIPT = `
const { parentPort, workerData } = require('node:worker_threads')
const { DatabaseSync } = require('node:sqlite')
const db = new DatabaseSync(workerData, { readOnly: true })
try {
  const tables = db.prepare("select name from sqlite_master where type = 'table' and rootpage > 0").all()
  for (const { name } of tables) {
    const [first] = db.prepare('pragma integrity_check("' + name.replaceAll('"', '""') + '")').all()
    if (first.integrity_check !== 'ok') throw Object.assign(new Error(first.integrity_check), { errcode: 11 })
  }
} catch (error) {
  if (![11, 26].includes(error.errcode & 0xff)) throw error
  parentPort.postMessage(error.message)
} finally {
  db.close()
}`

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
      if (files === undefined || (see(home.database)?.size ?? 0) <= CHECKED_AT_ONCE_BYTES) return
      const begun = performance.now()
      worker = new Worker(SCRIPT, { eval: true, workerData: home.database })
      worker.unref()
      worker.on('message', (damage: string) =>
        files.mistrust({ reason: damaged(home, damage), isContent: true }),
      )
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
