import { describe, expect, test, vi } from 'vitest'
import { chaosLine } from '../../test/chaos-line.ts'
import { createDatabase } from '../../test/postgres.ts'
import { sharedPostgres } from '../../test/shared.ts'
import type { Database } from './database.ts'
import { connect } from './open.contract.ts'
import { openPostgres } from './postgres.ts'
import type { Tx } from './query.ts'

/** Short, so that a test does not wait long; a slow machine only makes it wait longer. */
const LIMITS = {
  connect: 500,
  lock: 400,
  statement: 600,
  answer: 800,
  idle: 1000,
  close: 300,
  probeEvery: 50,
}

/** An answer may take longer than a test. */
const PATIENT = { ...LIMITS, statement: 0, answer: 600_000 }

const insert = (n: number) => (tx: Tx) =>
  tx.execute({ sql: 'insert into numbers (n) values ($1)', parameters: [n] })

/** A database behind a line that can fail, and a direct look at it. */
async function behindLine(limits: object = LIMITS) {
  const url = await createDatabase(await sharedPostgres())
  const raw = await connect(url)
  await raw.query('create table numbers (n bigint primary key)')
  const line = await chaosLine(url)
  const database = await openPostgres(line.url, { limits })
  return {
    line,
    database,
    raw,
    numbers: async () => (await raw.query('select n from numbers order by n')).rows.map(({ n }) => Number(n)),
    async [Symbol.asyncDispose]() {
      await database.close().catch(() => undefined)
      await line[Symbol.asyncDispose]()
      await raw.end()
    },
  }
}

const untilOpen = ({ server }: Database) =>
  vi.waitFor(() => expect(server?.breaker.openSince).toBeDefined(), { timeout: 60_000, interval: 10 })

const untilStored = (database: Database, n: number) =>
  vi.waitFor(() => database.transact(insert(n)), { timeout: 60_000, interval: 50 })

describe('a network that swallows everything', () => {
  test.each(['begin', 'a statement', 'commit'])(
    'in front of %s ends the call, and the next one works',
    async (at) => {
      await using it = await behindLine()
      await it.database.transact(insert(1))
      if (at === 'begin') it.line.swallow()
      const attempt = it.database.transact(async (tx) => {
        if (at === 'a statement') it.line.swallow()
        await insert(2)(tx)
        if (at === 'commit') it.line.swallow()
      })
      await expect(attempt).rejects.toMatchObject({
        code: 'unavailable',
        hint: expect.stringContaining('idempotency_key'),
      })
      it.line.restore()
      await untilStored(it.database, 3)
      expect(await it.numbers()).toEqual([1, 3])
    },
  )

  test('opens the breaker: calls fail at once, until a probe finds the server again', async () => {
    await using it = await behindLine()
    it.line.swallow()
    await expect(it.database.transact(insert(1))).rejects.toMatchObject({ code: 'unavailable' })
    await untilOpen(it.database)
    const begun = performance.now()
    for (let n = 0; n < 100; n++)
      await expect(it.database.transact(insert(n))).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('nothing was changed'),
        hint: 'holdfast doctor',
      })
    // A hundred calls together take less than the limit of one.
    expect(performance.now() - begun).toBeLessThan(LIMITS.connect)
    it.line.restore()
    await untilStored(it.database, 7)
    expect(await it.numbers()).toEqual([7])
  })

  test('does not keep the database from closing', async () => {
    await using it = await behindLine()
    const calls = Array.from({ length: 20 }, (_, n) =>
      it.database.transact(async (tx) => {
        await insert(n)(tx)
        it.line.swallow()
        await insert(n + 100)(tx)
      }),
    )
    const settled = Promise.allSettled(calls)
    await vi.waitFor(() => expect(it.database.transact(insert(1000))).rejects.toBeDefined())
    await it.database.close()
    expect((await settled).every(({ status }) => status === 'rejected')).toBe(true)
  })

  test('ends a call that would still wait, when the database is closed', async () => {
    await using it = await behindLine(PATIENT)
    const swallowed = Promise.withResolvers<void>()
    const call = it.database.transact(async (tx) => {
      await insert(1)(tx)
      it.line.swallow()
      swallowed.resolve()
      await insert(2)(tx)
    })
    const [ended] = await Promise.all([
      call.catch((error: unknown) => error),
      swallowed.promise.then(() => it.database.close()),
    ])
    expect(ended).toMatchObject({ code: 'unavailable' })
  })

  test('ends a call that would still wait, as soon as a probe has found out', async () => {
    await using it = await behindLine(PATIENT)
    const call = it.database.transact(async (tx) => {
      await insert(1)(tx)
      it.line.swallow()
      it.database.server?.breaker.suspect()
      await insert(2)(tx)
    })
    await expect(call).rejects.toMatchObject({ code: 'unavailable' })
    expect(it.database.server?.breaker.openSince).toBeDefined()
  })

  test('costs one call its time, not one for each connection that was open then', async () => {
    await using it = await behindLine()
    await Promise.all([1, 2, 3, 4].map((n) => it.database.transact(insert(n))))
    it.line.swallow()
    it.line.restore()
    await expect(it.database.transact(insert(5))).rejects.toMatchObject({ code: 'unavailable' })
    await it.database.transact(insert(6))
    expect(await it.numbers()).toEqual([1, 2, 3, 4, 6])
  })

  test('leaves no lock on the server that blocks others for long', async () => {
    await using it = await behindLine()
    await it.database.transact(insert(1))
    const attempt = it.database.transact(async (tx) => {
      await tx.execute({ sql: 'select n from numbers where n = 1 for update', parameters: [] })
      it.line.swallow()
      await insert(2)(tx)
    })
    await expect(attempt).rejects.toMatchObject({ code: 'unavailable' })
    // The server still has the transaction, because it never heard of its end.
    await it.raw.query('update numbers set n = 5 where n = 1')
    expect(await it.numbers()).toEqual([5])
  })
})

test('a connection that dies alone does not open the breaker', async () => {
  await using it = await behindLine()
  it.line.reset()
  await vi.waitFor(() => it.database.transact(insert(1)), { timeout: 60_000 })
  expect(it.database.server?.breaker.openSince).toBeUndefined()
})

test('a server that is slow to answer is no lost one', async () => {
  await using it = await behindLine({ ...LIMITS, connect: 5000, answer: 5000, statement: 4000 })
  it.line.delay(30)
  await it.database.transact(insert(1))
  expect(it.database.server?.breaker.openSince).toBeUndefined()
})

test('a run that waits for the lock of another one tries again', async () => {
  await using it = await behindLine()
  await it.raw.query('begin; insert into numbers values (1)')
  const secondTry = Promise.withResolvers<void>()
  let tries = 0
  const waiting = it.database.transact(async (tx) => {
    if (++tries > 1) secondTry.resolve()
    await insert(1)(tx)
  })
  await Promise.race([secondTry.promise, waiting])
  await it.raw.query('rollback')
  await waiting
  expect(await it.numbers()).toEqual([1])
})
