import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { memoryDisk } from '../../test/memory-disk.ts'
import { CHECKED_AT_ONCE_BYTES } from '../store/damage.ts'
import { damageIndex } from '../store/damaged-index.contract.ts'
import type { Doubt } from '../store/file-watch.ts'
import { openSqlite } from '../store/sqlite.ts'
import { openStore } from '../store/store.ts'
import { besideCheck } from './beside-check.ts'
import { filesOf } from './files-of.ts'
import { findHome } from './home.ts'

/** A store that is too large to be checked before it serves, with a missing index entry if it is damaged. */
async function large(isDamaged: boolean) {
  const folder = mkdtempSync(join(memoryDisk, 'holdfast-check-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const home = findHome({ HOME: folder, HOLDFAST_HOME: folder })
  const made = new DatabaseSync(home.database)
  made.exec(`create table filler (b blob); insert into filler values (zeroblob(${CHECKED_AT_ONCE_BYTES}))`)
  made.close()
  if (isDamaged) damageIndex(home.database)
  const store = await openStore(openSqlite(home.database, filesOf(home)), {
    clock: { now: () => Date.now() },
  })
  return { home, store, log: { write: () => undefined, close: () => undefined } }
}

test('damage of a large database is found while it serves, and puts it in doubt', async () => {
  const it = await large(true)
  const found = Promise.withResolvers<Doubt>()
  it.store.database.files?.onDoubt(found.resolve)
  const check = besideCheck(it)
  check.begin()
  expect(await found.promise).toMatchObject({
    isContent: true,
    reason: expect.stringMatching(/is damaged: .* found/),
  })
  await check.close()
  await it.store.close()
})

test('a check that is stopped lets the database close completely', async () => {
  const it = await large(false)
  const check = besideCheck(it)
  check.begin()
  await check.close()
  await it.store.close()
  expect(it.store.database.files?.doubt()).toBeUndefined()
  expect(filesOf(it.home).see(`${it.home.database}-wal`)).toBeUndefined()
})
