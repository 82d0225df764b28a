import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { Database } from './database.ts'
import type { Tx } from './query.ts'
import { closing, dump, temporarySqlite } from './open.contract.ts'
import { checkVersion, openSqlite } from './sqlite.ts'
import { storeContract } from './store.contract.ts'
import { migrate, openStore } from './store.ts'

const clock = { now: () => Date.now() }

storeContract('SQLite', temporarySqlite)

describe('SQLite', () => {
  test('uses synchronous=FULL and a write-ahead log', async () => {
    await using it = await withDatabase()
    const pragma = (name: string) => it.run((tx) => tx.execute({ sql: `pragma ${name}`, parameters: [] }))
    expect(await pragma('synchronous')).toEqual([{ synchronous: 2 }])
    expect(await pragma('journal_mode')).toEqual([{ journal_mode: 'wal' }])
    expect(await pragma('foreign_keys')).toEqual([{ foreign_keys: 1 }])
  })

  test.each(['3.51.2', '3.9.9', '2.99.99'])('of version %s is refused', (version) => {
    expect(() => checkVersion(version)).toThrow(expect.objectContaining({ code: 'unavailable' }))
  })

  test.each(['3.51.3', '3.52.0', '4.0.0'])('of version %s may be used', (version) => {
    expect(() => checkVersion(version)).not.toThrow()
  })

  test('gets at once what the migrations make, even if two open it together', async () => {
    await using migrated = await closing(await temporarySqlite())
    await migrate(migrated.database, { clock })
    await using fresh = await closing(await temporarySqlite())
    const other = fresh.closes(await fresh.again())
    await Promise.all([openStore(fresh.database, { clock }), openStore(other, { clock })])
    const made = 'select type, name, tbl_name, sql from sqlite_master order by name'
    expect(await fresh.look(made)).toEqual(await migrated.look(made))
    const { migrations: expected = [], ...rows } = await dump(migrated)
    const { migrations: done = [], ...found } = await dump(fresh)
    expect(found).toEqual(rows)
    const untimed = (row: unknown) => ({ ...(row as object), applied_at: '' })
    expect(done.map(untimed)).toEqual(expected.map(untimed))
    for (const one of [fresh, migrated])
      expect(await one.look('select * from sqlite_sequence where seq > 0')).toEqual([])
  })

  test('shares one COMMIT among concurrent runs, and gives the others their own', async () => {
    await using it = await withDatabase()
    const before = await commitsInLog(it.path)
    await Promise.all(Array.from({ length: 40 }, (_, index) => it.run((tx) => insert(tx, index))))
    expect((await commitsInLog(it.path)) - before).toBe(1)
    for (let index = 40; index < 45; index++) await it.run((tx) => insert(tx, index))
    expect((await commitsInLog(it.path)) - before).toBe(6)
    expect(await it.look('select count(*) as n from numbers')).toEqual([{ n: 45 }])
  })

  test('does not notify of a run that only read', async () => {
    await using it = await withDatabase()
    let told = 0
    it.database.onCommit(() => void told++)
    await it.run((tx) => tx.execute({ sql: 'select 1 as one', parameters: [] }))
    expect(told).toBe(0)
    await it.run((tx) => insert(tx, 1))
    expect(told).toBe(1)
  })

  test('fails a run that awaits something else, and continues with the others', async () => {
    await using it = await withDatabase()
    const results = await Promise.allSettled([
      it.run((tx) => insert(tx, 1)),
      it.run(async (tx) => {
        await insert(tx, 2)
        await sleep(20)
        await insert(tx, 3)
      }),
      it.run((tx) => insert(tx, 4)),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(results[1]).toMatchObject({ reason: { message: expect.stringContaining('awaited something') } })
    await sleep(40)
    await it.run((tx) => insert(tx, 5))
    expect((await it.look('select n from numbers')).map(({ n }) => n)).toEqual([1, 4, 5])
  })

  test('does not hang if a run asks for a transaction inside its own', async () => {
    await using it = await withDatabase()
    const nested = it.run(() => it.run((tx) => insert(tx, 1)))
    await expect(nested).rejects.toThrow('awaited something')
    await it.run((tx) => insert(tx, 2))
    expect((await it.look('select n from numbers')).map(({ n }) => n)).toEqual([1, 2])
  })

  test('keeps its prepared statements, but not without limit', async () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
    try {
      await using it = await withDatabase()
      const first = { sql: 'select 0 as n', parameters: [] }
      const prepared = () => prepare.mock.calls.filter(([sql]) => sql === first.sql).length
      for (let times = 0; times < 3; times++) await it.run((tx) => tx.execute(first))
      expect(prepared()).toBe(1)
      await it.run(async (tx) => {
        for (let n = 1; n <= 1000; n++) await tx.execute({ sql: `select ${n} as n`, parameters: [] })
      })
      await it.run((tx) => tx.execute(first))
      expect(prepared()).toBe(2)
    } finally {
      prepare.mockRestore()
    }
  })

  test('reports a full disk, changes nothing, and works again after space is freed', async () => {
    await using it = await withDatabase()
    await it.run((tx) => insert(tx, 1))
    await leavePages(it, 4)
    await expect(it.run(insertTooMuch)).rejects.toMatchObject({ code: 'storage-full' })
    expect(await it.look('select n from numbers')).toEqual([{ n: 1 }])
    await leavePages(it, 1_000_000)
    await it.run((tx) => insert(tx, 3))
    expect((await it.look('select n from numbers')).map(({ n }) => n)).toEqual([1, 3])
  })

  test('does not fail other runs with the one that fills the disk', async () => {
    await using it = await withDatabase()
    await leavePages(it, 4)
    const results = await Promise.allSettled([
      it.run((tx) => insert(tx, 1)),
      it.run(insertTooMuch),
      it.run((tx) => insert(tx, 3)),
      it.run((tx) => tx.execute({ sql: 'select 1 as one', parameters: [] })),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect((await it.look('select n from numbers')).map(({ n }) => n)).toEqual([1, 3])
  })

  test('waits for another writer without blocking anything else, and succeeds afterwards', async () => {
    await using it = await withDatabase()
    const other = new DatabaseSync(it.path)
    other.exec('begin immediate')
    const waiting = it.run((tx) => insert(tx, 1))
    // Timers still run, and one releases the lock.
    await sleep(200)
    other.exec('commit')
    await waiting
    expect(await it.look('select n from numbers')).toEqual([{ n: 1 }])
    other.close()
  })

  test('reports that another program has locked it, changes nothing, and works again afterwards', async () => {
    await using it = await withDatabase()
    const other = new DatabaseSync(it.path)
    other.exec('begin immediate')
    const locked = { code: 'unavailable', message: expect.stringContaining('Another program') }
    await expect(it.run((tx) => insert(tx, 1))).rejects.toMatchObject(locked)
    for (let n = 2; n < 20; n++) await expect(it.run((tx) => insert(tx, n))).rejects.toMatchObject(locked)
    other.exec('commit')
    await it.run((tx) => insert(tx, 20))
    expect(await it.look('select n from numbers')).toEqual([{ n: 20 }])
    other.close()
  })

  test('reports a bug of ours as a bug', async () => {
    await using it = await withDatabase()
    await it.run((tx) => insert(tx, 1))
    await expect(it.run((tx) => insert(tx, 1))).rejects.not.toHaveProperty('code', 'unavailable')
  })

  test.each([
    ['a file that is not a database', 'unavailable'],
    ['a folder', 'unavailable'],
  ])('returns a clear error for %s', async (what, code) => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-sqlite-'))
    const path = what === 'a folder' ? folder : join(folder, 'engine.db')
    if (what !== 'a folder')
      await writeFile(path, 'This is not a database, but it is long enough. '.repeat(100))
    expect(() => openSqlite(path)).toThrow(expect.objectContaining({ code }))
    await rm(folder, { recursive: true })
  })

  test('checkpoints its log into the database without loss, once it has grown', async () => {
    await using it = await withDatabase()
    for (let index = 0; index < 260; index++) await it.run((tx) => insert(tx, index))
    const logged = await commitsInLog(it.path)
    expect(logged).toBeGreaterThan(200)
    // After an idle moment the next commit restarts the log.
    await vi.waitFor(
      async () => {
        await sleep(100)
        await it.run((tx) => insert(tx, Date.now()))
        expect(await commitsInLog(it.path)).toBeLessThan(logged)
      },
      { timeout: 60_000 },
    )
    expect(await it.look('select count(*) as n from numbers where n < 260')).toEqual([{ n: 260 }])
    expect(await it.look('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })
})

async function withDatabase() {
  const opened = await temporarySqlite()
  const { database } = opened
  await database.transact(async (tx) => {
    await tx.execute({ sql: 'create table numbers (n integer primary key)', parameters: [] })
    await tx.execute({ sql: 'create table blobs (b blob)', parameters: [] })
  })
  return {
    ...opened,
    run: database.transact.bind(database),
    async [Symbol.asyncDispose]() {
      await database.close()
      await opened.dispose()
    },
  }
}

async function leavePages({ run }: { run: Database['transact'] }, spare: number): Promise<void> {
  const pragma = (sql: string) =>
    run((tx) => tx.execute<{ page_count: number }>({ sql: `pragma ${sql}`, parameters: [] }))
  const [pages] = await pragma('page_count')
  await pragma(`max_page_count = ${(pages?.page_count ?? 0) + spare}`)
}

async function insertTooMuch(tx: Tx): Promise<void> {
  await insert(tx, 2)
  await tx.execute({ sql: 'insert into blobs values (zeroblob(1000000))', parameters: [] })
}

async function insert(tx: Tx, n: number): Promise<void> {
  await tx.execute({ sql: 'insert into numbers values (?)', parameters: [n] })
}

const [LOG_HEADER, FRAME_HEADER] = [32, 24]

/** The log marks the last frame of each COMMIT, and a restarted log has another salt. */
async function commitsInLog(path: string): Promise<number> {
  const log = await readFile(`${path}-wal`)
  if (log.length < LOG_HEADER) return 0
  const pageSize = log.readUInt32BE(8)
  const salt = log.subarray(16, 24)
  let commits = 0
  for (let frame = LOG_HEADER; frame + FRAME_HEADER <= log.length; frame += FRAME_HEADER + pageSize) {
    if (!log.subarray(frame + 8, frame + 16).equals(salt)) break
    if (log.readUInt32BE(frame + 4) !== 0) commits++
  }
  return commits
}
