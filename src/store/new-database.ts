import { type Clock, timestamp } from '../model/clock.ts'
import type { Database } from './database.ts'
import { migrations } from './migrations/index.ts'
import statements from './new-database.json' with { type: 'json' }
import { queryOf, type Tx } from './query.ts'

/** Gives an empty embedded database all that the migrations make, in one transaction and a tenth of their time. */
export async function fillNew(database: Database, clock: Clock): Promise<void> {
  if (database.kind !== 'sqlite') return
  if (!(await database.transact(isEmpty, { reads: true }))) return
  await database.transact(async (tx) => {
    // Another daemon may have been faster.
    if (!(await isEmpty(tx))) return
    for (const sql of statements) await tx.execute({ sql, parameters: [] })
    const applied_at = timestamp(clock.now())
    const rows = migrations.map(([name], index) => ({ version: index + 1, name, applied_at }))
    await queryOf(tx, (db) => db.insertInto('migrations').values(rows))
  })
}

async function isEmpty(tx: Tx): Promise<boolean> {
  const found = await tx.execute({ sql: 'select name from sqlite_master limit 1', parameters: [] })
  return found.length === 0
}
