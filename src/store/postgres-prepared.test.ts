import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { closing, temporaryPostgres } from './open.contract.ts'
import { query, type Tx } from './query.ts'

describe('a query on PostgreSQL', () => {
  test('is parsed and planned once per connection, however often it runs', async () => {
    await using it = await withNumbers()
    for (let times = 0; times < 3; times++) await it.read()
    expect(await it.run(preparedIn)).toEqual([expect.stringContaining('from numbers')])
  })

  test('runs after another machine has changed its table, on every connection', async () => {
    await using it = await withNumbers()
    const readAtOnce = () => Promise.all(Array.from({ length: 4 }, it.read))
    const old = [{ n: 1 }]
    expect(await readAtOnce()).toEqual([old, old, old, old])
    await it.look('alter table numbers add column note text')
    const now = [{ n: 1, note: null }]
    expect(await readAtOnce()).toEqual([now, now, now, now])
  })

  test('runs after a pooler has lost it on the way', async () => {
    await using it = await withNumbers()
    await it.read()
    await it.run((tx) => tx.execute({ sql: 'deallocate all', parameters: [] }))
    expect(await it.read()).toEqual([{ n: 1 }])
  })
})

async function withNumbers() {
  const opened = await closing(await temporaryPostgres())
  await opened.look('create table numbers (n integer)')
  await opened.look('insert into numbers values (1)')
  // A new query, which no connection has prepared.
  const all = query<object, object>((db) => db.selectFrom(sql<object>`numbers`.as('numbers')).selectAll())
  const run = opened.database.transact.bind(opened.database)
  return { ...opened, run, read: () => run((tx) => all(tx, {})) }
}

async function preparedIn(tx: Tx): Promise<readonly string[]> {
  const text = 'select statement from pg_prepared_statements'
  return (await tx.execute<{ statement: string }>({ sql: text, parameters: [] })).map(
    ({ statement }) => statement,
  )
}
