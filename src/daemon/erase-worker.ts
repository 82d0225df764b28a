import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { forgetIn, type Transact } from '../store/forget-all.ts'
import type { Tx } from '../store/query.ts'
import type { Erasure } from './erase-thread.ts'

/** The thread that writes a database anew, so that nothing deleted is left in its pages. */
const { database, targets } = workerData as Erasure

async function eraseAll(): Promise<void> {
  using db = new DatabaseSync(database, { enableForeignKeyConstraints: true })
  db.exec('pragma busy_timeout = 5000; pragma trusted_schema = off; pragma secure_delete = on')
  if (targets === undefined) db.exec('pragma synchronous = full')
  else {
    // A backup is one file.
    db.exec('pragma journal_mode = delete')
    await forgetIn(transactIn(db), { targets })
  }
  // The index of words keeps deleted ones until its parts are merged.
  const words = db.prepare(`select 1 from sqlite_schema where name = 'embedding_words'`).get()
  if (words !== undefined) db.exec(`insert into embedding_words(embedding_words) values ('optimize')`)
  db.exec('vacuum')
  if (targets === undefined) db.exec('pragma wal_checkpoint(full)')
}

function transactIn(db: DatabaseSync): Transact {
  const tx: Tx = {
    kind: 'sqlite',
    execute: ({ sql, parameters }) =>
      Promise.resolve(db.prepare(sql).all(...(parameters as SQLInputValue[])) as never[]),
    onRollback: () => undefined,
  }
  return async (run) => {
    db.exec('begin immediate')
    const result = await run(tx)
    db.exec('commit')
    return result
  }
}

eraseAll().then(
  () => parentPort?.postMessage(undefined),
  (error: unknown) => parentPort?.postMessage(error instanceof Error ? error : new Error(String(error))),
)
