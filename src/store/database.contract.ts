import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Database } from './database.ts'
import type { Tx } from './query.ts'
import type { Open } from './open.contract.ts'

/** What a transaction must be on any database. */
export function databaseContract(open: Open): void {
  describe('a transaction', () => {
    test('is visible to another connection as soon as it is answered', async () => {
      await using it = await withNotes(open)
      const seen = await Promise.all(
        ['a', 'b', 'c'].map(async (text) => {
          await it.database.transact((tx) => note(tx, text))
          return (await it.notes()).includes(text)
        }),
      )
      expect(seen).toEqual([true, true, true])
    })

    test('that fails leaves nothing and returns the reason', async () => {
      await using it = await withNotes(open)
      const attempt = it.database.transact(async (tx) => {
        await note(tx, 'lost')
        throw new RangeError('no')
      })
      await expect(attempt).rejects.toThrow(new RangeError('no'))
      expect(await it.notes()).toEqual([])
    })

    test('that throws before its first await fails too', async () => {
      await using it = await withNotes(open)
      const attempt = it.database.transact(() => {
        throw new RangeError('no')
      })
      await expect(attempt).rejects.toThrow(new RangeError('no'))
      await it.database.transact((tx) => note(tx, 'next'))
      expect(await it.notes()).toEqual(['next'])
    })

    test('that fails does not affect concurrent ones', async () => {
      await using it = await withNotes(open)
      const runs = Array.from({ length: 12 }, (_, index) =>
        it.database.transact(async (tx) => {
          await note(tx, `${index}`)
          if (index % 4 === 0) throw new Error(`${index} is bad`)
          if (index % 4 === 1) await tx.execute({ sql: 'insert into nowhere values (1)', parameters: [] })
        }),
      )
      const results = await Promise.allSettled(runs)
      const good = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [`${index}`] : []))
      expect(good).toEqual(['2', '3', '6', '7', '10', '11'])
      expect((await it.notes()).toSorted()).toEqual(good.toSorted())
    })

    test('whose COMMIT fails is not acknowledged, and leaves nothing', async () => {
      await using it = await withNotes(open)
      let ran = false
      const attempt = it.database.transact(async (tx) => {
        await note(tx, 'lost')
        await tx.execute({ sql: `insert into promises values ('nobody')`, parameters: [] })
        ran = true
      })
      await expect(attempt).rejects.toThrow(/constraint/i)
      expect(ran).toBe(true)
      expect(await it.notes()).toEqual([])
      await it.database.transact((tx) => note(tx, 'next'))
      expect(await it.notes()).toEqual(['next'])
    })

    test('does not see half of another, however many overlap', async () => {
      await using it = await withNotes(open)
      await it.database.transact((tx) => note(tx, 'count', 0))
      const increments = Array.from({ length: 24 }, () =>
        it.database.transact(async (tx) => {
          const [row] = await tx.execute<{ n: number }>({
            sql: `update notes set n = n + 1 where text = 'count' returning n`,
            parameters: [],
          })
          return row?.n
        }),
      )
      const given = (await Promise.all(increments)).map(Number)
      expect(given.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1))
    })

    test('cannot be used after its end', async () => {
      await using it = await withNotes(open)
      const leaked: Tx[] = []
      await it.database.transact(async (tx) => {
        leaked.push(tx)
        await note(tx, 'in time')
      })
      const [tx] = leaked
      if (tx === undefined) throw new Error('No transaction was given.')
      const other = it.database.transact((mine) => note(mine, 'other'))
      await expect(note(tx, 'late')).rejects.toThrow('after its end')
      await other
      expect((await it.notes()).toSorted()).toEqual(['in time', 'other'])
    })

    test('whose deadline has passed does not start', async () => {
      await using it = await withNotes(open)
      let ran = false
      const attempt = it.database.transact(
        async (tx) => {
          ran = true
          await note(tx, 'late')
        },
        { deadline: Date.now() - 1 },
      )
      await expect(attempt).rejects.toMatchObject({ code: 'timeout' })
      expect(ran).toBe(false)
      await it.database.transact((tx) => note(tx, 'in time'), { deadline: Date.now() + 60_000 })
      expect(await it.notes()).toEqual(['in time'])
    })
  })

  describe('a listener', () => {
    test('is called for commits, not for reads and failures, until it is removed', async () => {
      await using it = await withNotes(open)
      let told = 0
      const off = it.database.onCommit(() => void told++)
      await it.database.transact((tx) => note(tx, 'a'))
      await settled()
      expect(told).toBe(1)
      await it.database.transact((tx) => tx.execute({ sql: 'select 1', parameters: [] }), { reads: true })
      await settled()
      expect(told).toBe(1)
      off()
      await it.database.transact((tx) => note(tx, 'b'))
      await settled()
      expect(told).toBe(1)
    })

    test('for a rollback is called for a failed run and a failed commit, but not for success', async () => {
      await using it = await withNotes(open)
      const told: string[] = []
      const run = (name: string, work: (tx: Tx) => Promise<unknown>) =>
        it.database
          .transact(async (tx) => {
            tx.onRollback(() => void told.push(name))
            await work(tx)
          })
          .catch(() => undefined)
      await run('good', (tx) => note(tx, 'a'))
      await run('failed run', () => Promise.reject(new Error('no')))
      await run('failed commit', (tx) =>
        tx.execute({ sql: `insert into promises values ('nobody')`, parameters: [] }),
      )
      expect(told).toEqual(['failed run', 'failed commit'])
    })
  })

  test('closing waits for open runs and refuses later ones', async () => {
    await using it = await withNotes(open)
    const last = it.database.transact((tx) => note(tx, 'last'))
    await Promise.all([last, it.database.close()])
    expect(await it.notes()).toEqual(['last'])
    await expect(it.database.transact((tx) => note(tx, 'late'))).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
}

/** A turn of the event loop, in which listeners are called. */
const settled = () => sleep(0)

async function note(tx: Tx, text: string, n = 0): Promise<void> {
  await tx.execute({
    sql:
      tx.kind === 'sqlite'
        ? 'insert into notes (text, n) values (?, ?)'
        : 'insert into notes (text, n) values ($1, $2)',
    parameters: [text, n],
  })
}

interface WithNotes extends AsyncDisposable {
  readonly database: Database
  /** What another connection sees. */
  notes(): Promise<readonly string[]>
}

async function withNotes(open: Open): Promise<WithNotes> {
  const opened = await open()
  const { database } = opened
  await database.transact(async (tx) => {
    await tx.execute({ sql: 'create table notes (text text primary key, n bigint)', parameters: [] })
    // Deferred to COMMIT, to make a COMMIT fail.
    await tx.execute({
      sql: 'create table promises (text text references notes deferrable initially deferred)',
      parameters: [],
    })
  })
  return {
    database,
    notes: async () => (await opened.look('select text from notes')).map(({ text }) => String(text)),
    async [Symbol.asyncDispose]() {
      await database.close().catch(() => undefined)
      await opened.dispose()
    },
  }
}
