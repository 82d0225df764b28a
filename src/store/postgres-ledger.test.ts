import type { Client } from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { listLedger, record, settledSeq } from './ledger.ts'
import { connect, temporaryPostgres } from './open.contract.ts'
import { openStore } from './store.ts'

const clock = { now: () => Date.now() }

describe('following the ledger on PostgreSQL', () => {
  test('never passes a lower number that an open transaction may still show', async () => {
    await using it = await withLedger()
    const early = await it.begin()
    await early.query(`insert into life_event (id, skill) values ('early', '')`)
    await it.tell('late')
    expect(await it.settled()).toEqual([])
    await early.query('commit')
    expect(await it.settled()).toEqual(['early', 'late'])
  })

  test('does so too if the open transaction is the younger one', async () => {
    await using it = await withLedger()
    const [older, younger] = [await it.begin(), await it.begin()]
    for (const one of [older, younger]) await one.query('select pg_current_xact_id()')
    await younger.query(`insert into life_event (id, skill) values ('first', '')`)
    await older.query(`insert into life_event (id, skill) values ('second', '')`)
    await older.query('commit')
    expect(await it.settled()).toEqual([])
    await younger.query('commit')
    expect(await it.settled()).toEqual(['first', 'second'])
  })

  test('shows entries before an open transaction, and does not wait for transactions that write elsewhere', async () => {
    await using it = await withLedger()
    await it.tell('before')
    const elsewhere = await it.begin()
    await elsewhere.query(`insert into settings values ('x', 'y')`)
    const numbering = await it.begin()
    await numbering.query(`insert into life_event (id, skill) values ('open', '')`)
    await it.tell('after')
    expect(await it.settled()).toEqual(['before'])
    await numbering.query('rollback')
    expect(await it.settled()).toEqual(['before', 'after'])
    expect(await it.store.transact(settledSeq)).toBe(3)
    await elsewhere.query('rollback')
  })

  test('misses nothing while many transactions write', async () => {
    await using it = await withLedger()
    const seen: string[] = []
    let writing = true
    const follow = (async () => {
      let after = 0
      for (;;) {
        const last = !writing
        const rows = await it.store.transact(
          (tx) => listLedger(tx, { after, newestFirst: false, limit: 1000, settled: true }),
          { reads: true },
        )
        seen.push(...rows.map(({ id }) => id))
        after = rows.at(-1)?.seq ?? after
        if (last) return
      }
    })()
    const names = Array.from({ length: 8 * 25 }, (_, index) => `${index}`)
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (const name of names.filter((_name, index) => index % 8 === writer))
        await it.store
          .transact(async (tx) => {
            await tx.execute({ sql: 'select pg_current_xact_id()', parameters: [] })
            await record(tx, { event_type: 'task.created' }, { id: name, now: '' })
            await tx.execute({ sql: 'select pg_sleep(random() * 0.01)', parameters: [] })
            if (Number(name) % 10 === 0) throw new Error('undone')
          })
          .catch(() => undefined)
    })
    await Promise.all(writers)
    writing = false
    await follow
    const expected = names.filter((name) => Number(name) % 10 !== 0)
    expect(seen.toSorted()).toEqual(expected.toSorted())
  })
})

test('a volatile key stays visible while it is written to PostgreSQL', async () => {
  await using it = await withLedger()
  const { volatile } = it.store
  const blocker = await it.begin()
  await blocker.query('lock table idempotency_keys in share mode')
  volatile.remember({ key: 'k', method: 'm', digest: 'd', result: '1' })
  const flush = it.store.flush()
  await vi.waitFor(() => expect(volatile.isEmpty()).toBe(true), { timeout: 60_000 })
  expect(volatile.recall('k')).toMatchObject({ result: '1' })
  await blocker.query('rollback')
  await flush
  expect(volatile.recall('k')).toBeUndefined()
  expect(await it.look('select key from idempotency_keys')).toEqual([{ key: 'k' }])
})

async function withLedger() {
  const opened = await temporaryPostgres()
  const store = await openStore(opened.database, { clock })
  const clients: Client[] = []
  return {
    store,
    look: (sql: string) => opened.look(sql),
    async begin() {
      const client = await connect(opened.url)
      clients.push(client)
      await client.query('begin')
      return client
    },
    tell: (id: string) => store.transact((tx) => record(tx, { event_type: 'task.created' }, { id, now: '' })),
    async settled() {
      const rows = await store.transact((tx) =>
        listLedger(tx, { after: 0, newestFirst: false, limit: 100, settled: true }),
      )
      return rows.map(({ id }) => id)
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.end()
      await store.close()
      await opened.dispose()
    },
  }
}
