import { createConnection, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { sharedPostgres } from '../../test/shared.ts'
import { connect, temporaryPostgres } from './open.contract.ts'
import { openPostgres } from './postgres.ts'
import type { Tx } from './query.ts'
import { storeContract } from './store.contract.ts'

const server = await sharedPostgres()

storeContract('PostgreSQL', temporaryPostgres)

describe('PostgreSQL', () => {
  test('whose connection dies in the middle gives a typed error, and serves the next call', async () => {
    await using it = await withNumbers()
    const attempt = it.run(async (tx) => {
      await insert(tx, 1)
      await it.kill(await pidOf(tx))
      await insert(tx, 2)
    })
    await expect(attempt).rejects.toMatchObject({
      code: 'unavailable',
      hint: expect.stringContaining('idempotency_key'),
    })
    expect(await it.numbers()).toEqual([])
    await it.run((tx) => insert(tx, 3))
    expect(await it.numbers()).toEqual([3])
  })

  test('whose idle connections all die serves the next call', async () => {
    await using it = await withNumbers()
    await Promise.all(Array.from({ length: 8 }, (_, n) => it.run((tx) => insert(tx, n))))
    await it.look(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await it.run((tx) => insert(tx, 100), { repeatable: true })
    expect(await it.numbers()).toContain(100)
  })

  test('whose connection dies during a repeatable run does it once in the end', async () => {
    await using it = await withNumbers()
    let runs = 0
    await it.run(
      async (tx) => {
        runs++
        const pid = await pidOf(tx)
        await insert(tx, 1)
        if (runs === 1) await it.kill(pid)
        await insert(tx, 2)
      },
      { repeatable: true },
    )
    expect(runs).toBe(2)
    expect(await it.numbers()).toEqual([1, 2])
  })

  test('whose answer to a COMMIT is lost lets a repeatable run find out that it happened', async () => {
    await using it = await withNumbers()
    await using line = await lossyLine(it.url)
    const database = await openPostgres(line.url)
    let runs = 0
    const once = async (tx: Tx) => {
      runs++
      const found = await tx.execute({ sql: 'select n from numbers where n = 7', parameters: [] })
      if (found.length > 0) return 'already there'
      await insert(tx, 7)
      line.loseNextCommit()
      return 'new'
    }
    expect(await database.transact(once, { repeatable: true })).toBe('already there')
    expect(runs).toBe(2)
    expect(await it.numbers()).toEqual([7])
    line.loseNextCommit()
    await expect(database.transact((tx) => insert(tx, 8))).rejects.toMatchObject({ code: 'unavailable' })
    expect(await it.numbers()).toEqual([7, 8])
    await database.close()
  })

  test.each([
    ['a serialization failure', '40001', '40001'],
    ['a deadlock', '40P01', '40P01'],
    ['a lock timeout', '55P03', '55P03'],
    ['a concurrent insert of the same key', '23505', '23505'],
    ['a concurrent insert that follows other conflicts', '40001', '40P01', '23505'],
  ])('is retried after %s', async (_, ...codes) => {
    await using it = await withNumbers()
    let runs = 0
    await it.run(async (tx) => {
      runs++
      await insert(tx, runs)
      if (runs <= codes.length)
        await tx.execute({
          sql: `do $$ begin raise exception 'in the way' using errcode = '${codes[runs - 1]}'; end $$`,
          parameters: [],
        })
    })
    expect(runs).toBe(codes.length + 1)
    expect(await it.numbers()).toEqual([codes.length + 1])
  })

  test('resolves a real deadlock of two runs', async () => {
    await using it = await withNumbers()
    await it.run(async (tx) => {
      await insert(tx, 1)
      await insert(tx, 2)
    })
    const bump = (tx: Tx, n: number) =>
      tx.execute({ sql: 'update numbers set times = times + 1 where n = $1', parameters: [n] })
    const both = Promise.withResolvers<void>()
    let waiting = 0
    const cross = (first: number, second: number) =>
      it.run(async (tx) => {
        await bump(tx, first)
        if (++waiting === 2) both.resolve()
        await both.promise
        await bump(tx, second)
      })
    await Promise.all([cross(1, 2), cross(2, 1)])
    expect((await it.look('select times from numbers')).map(({ times }) => Number(times))).toEqual([2, 2])
  })

  test('gives up with `timeout` if conflicts continue', async () => {
    await using it = await withNumbers()
    const attempt = it.run((tx) =>
      tx.execute({
        sql: `do $$ begin raise exception 'in the way' using errcode = '40001'; end $$`,
        parameters: [],
      }),
    )
    await expect(attempt).rejects.toMatchObject({ code: 'timeout' })
  })

  test('reports a duplicate key as a bug if it persists', async () => {
    await using it = await withNumbers()
    await it.run((tx) => insert(tx, 1))
    await expect(it.run((tx) => insert(tx, 1))).rejects.toMatchObject({ code: '23505' })
  })

  test('does not start a run whose deadline passes while it waits for a connection', async () => {
    await using it = await withNumbers()
    const hold = Promise.withResolvers<void>()
    const others = Array.from({ length: 10 }, () => it.run(() => hold.promise))
    let ran = false
    const late = it.run(
      async (tx) => {
        ran = true
        await insert(tx, 1)
      },
      { deadline: Date.now() + 50 },
    )
    await sleep(100)
    hold.resolve()
    await expect(late).rejects.toMatchObject({ code: 'timeout' })
    await Promise.all(others)
    expect(ran).toBe(false)
  })

  test('never acknowledges a run that continued after a failed statement', async () => {
    await using it = await withNumbers()
    const attempt = it.run(async (tx) => {
      await insert(tx, 1)
      await tx.execute({ sql: 'select nothing from nowhere', parameters: [] }).catch(() => undefined)
    })
    await expect(attempt).rejects.toThrow('failed statement')
    expect(await it.numbers()).toEqual([])
  })

  test.each([
    ['a full disk', '53100', 'storage-full'],
    ['a canceled statement', '57014', 'timeout'],
    ['too many connections', '53300', 'unavailable'],
    ['a shutdown', '57P01', 'unavailable'],
  ])('reports %s with the right error', async (_, code, expected) => {
    await using it = await withNumbers()
    const attempt = it.run((tx) =>
      tx.execute({
        sql: `do $$ begin raise exception 'no' using errcode = '${code}'; end $$`,
        parameters: [],
      }),
    )
    await expect(attempt).rejects.toMatchObject({ code: expected })
  })
})

async function withNumbers() {
  const opened = await temporaryPostgres()
  const { database } = opened
  const killer = await connect(server)
  const kill = async (pid: number) => void (await killer.query('select pg_terminate_backend($1)', [pid]))
  await database.transact((tx) =>
    tx.execute({
      sql: 'create table numbers (n bigint primary key, times bigint default 0)',
      parameters: [],
    }),
  )
  return {
    ...opened,
    kill,
    run: database.transact.bind(database),
    numbers: async () => (await opened.look('select n from numbers order by n')).map(({ n }) => Number(n)),
    async [Symbol.asyncDispose]() {
      await database.close()
      await killer.end()
      await opened.dispose()
    },
  }
}

/** A proxy to the server that can forward a COMMIT and lose the reply. */
async function lossyLine(url: string) {
  const target = new URL(url)
  let losing = false
  const proxy = createServer((near) => {
    const far = createConnection(Number(target.port), target.hostname)
    let lost = false
    near.on('data', (bytes) => {
      lost ||= losing && bytes.includes('commit\0')
      if (lost) losing = false
      far.write(bytes)
    })
    far.on('data', (bytes) => (lost ? near.destroy() : near.write(bytes)))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
  })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const through = new URL(url)
  through.port = typeof address === 'object' ? String(address?.port) : ''
  return {
    url: through.href,
    loseNextCommit: () => void (losing = true),
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => void proxy.close(resolve))
    },
  }
}

async function insert(tx: Tx, n: number): Promise<void> {
  await tx.execute({ sql: 'insert into numbers (n) values ($1)', parameters: [n] })
}

async function pidOf(tx: Tx): Promise<number> {
  const [row] = await tx.execute<{ pid: number }>({ sql: 'select pg_backend_pid() as pid', parameters: [] })
  return row?.pid ?? 0
}
