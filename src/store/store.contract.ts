import { describe, expect, test } from 'vitest'
import { constraintsContract } from './constraints.contract.ts'
import { databaseContract } from './database.contract.ts'
import { migrationContract } from './migration.contract.ts'
import { startEffort, TASK, withTask, type Open } from './open.contract.ts'
import { viewsContract } from './views.contract.ts'
import { volatileContract } from './volatile.contract.ts'
import { listEfforts } from './effort.ts'
import { listLedger, record } from './ledger.ts'
import { ledgerHistoryContract } from './ledger-history.contract.ts'
import { schemaContract } from './schema.contract.ts'
import { forgetColumnsContract } from './forget.contract.ts'
import { searchContract } from './search.contract.ts'
import { vectorContract } from './vector.contract.ts'

/** What every database must do; `open` returns a new and empty one each time. */
export function storeContract(name: string, open: Open): void {
  describe(`${name} as a store`, () => {
    schemaContract(open)
    constraintsContract(open)
    viewsContract(open)
    databaseContract(open)
    migrationContract(open)
    volatileContract(open)
    ledgerContract(open)
    ledgerHistoryContract(open)
    searchContract(open)
    vectorContract(open)
    forgetColumnsContract(open)

    test('ordinals have no gaps under concurrent starts, even when some of them fail', async () => {
      await using it = await withTask(open)
      const starts = Array.from({ length: 24 }, (_, index) =>
        it.store.transact(async (tx) => {
          const effort = await startEffort(tx)
          if (index % 3 === 0) throw new Error('after the ordinal was taken')
          return effort?.ordinal
        }),
      )
      const results = await Promise.allSettled(starts)
      const given = results.flatMap((one) => (one.status === 'fulfilled' ? [Number(one.value)] : []))
      expect(given.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1))
      const rows = await it.store.transact((tx) => listEfforts(tx, { task_id: TASK }))
      expect(rows.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 17 }, (_, index) => index))
    })
  })
}

function ledgerContract(open: Open): void {
  // Defect 12 of the originals.
  test('the ledger is ordered by its own numbers, however the clock jumps and however ids sort', async () => {
    await using it = await withTask(open)
    const told = [
      ['z', '2026-01-01T00:00:00.000Z'],
      ['a', '2026-01-01T00:00:00.000Z'],
      ['m', '1999-01-01T00:00:00.000Z'],
    ] as const
    for (const [id, now] of told)
      await it.store.transact((tx) => record(tx, { event_type: 'task.created' }, { id, now }))
    const read = (newestFirst: boolean) =>
      it.store.transact((tx) => listLedger(tx, { newestFirst, limit: 10, settled: true }))
    expect((await read(false)).map(({ id }) => id)).toEqual(['z', 'a', 'm'])
    expect((await read(true)).map(({ id }) => id)).toEqual(['m', 'a', 'z'])
  })
}
