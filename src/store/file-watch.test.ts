import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { memoryDisk } from '../../test/memory-disk.ts'
import { filesOf } from '../daemon/files-of.ts'
import { openSqlite } from './sqlite.ts'

async function opened() {
  const folder = mkdtempSync(join(memoryDisk, 'holdfast-watch-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [path, lock] = [join(folder, 'engine.db'), join(folder, 'lock.db')]
  writeFileSync(lock, '')
  const database = openSqlite(path, filesOf({ database: path, lock }))
  const run = (sql: string) => database.transact((tx) => tx.execute({ sql, parameters: [] }))
  await run('create table numbers (n integer primary key)')
  await run('insert into numbers values (1)')
  return { database, path, lock, add: (n: number) => run(`insert into numbers values (${n})`), run }
}

/** What a new process finds. */
function stored(path: string): unknown[] {
  const script = `const { DatabaseSync } = require('node:sqlite')
    const rows = new DatabaseSync(${JSON.stringify(path)}).prepare('select n from numbers').all()
    console.log(JSON.stringify(rows.map(({ n }) => n)))`
  return JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })) as unknown[]
}

/**
 * By another process, because our own would drop the locks of SQLite with its descriptors, and later than the last
 * tick of the kernel, because two changes in one tick have the same time.
 */
const shell = (command: string) => void execFileSync('sh', ['-c', `sleep 0.02; ${command}`])

type It = Awaited<ReturnType<typeof opened>>

const DAMAGES: [string, (it: It) => void, RegExp][] = [
  ['log is removed', ({ path }) => rmSync(`${path}-wal`), /engine\.db-wal was removed/],
  [
    'log is replaced',
    ({ path }) => shell(`cp ${path}-wal ${path}-x; mv ${path}-x ${path}-wal`),
    /-wal was replaced/,
  ],
  ['log is emptied', ({ path }) => shell(`truncate -s 0 ${path}-wal`), /engine\.db-wal was changed/],
  ['log is cut', ({ path }) => shell(`truncate -s -100 ${path}-wal`), /engine\.db-wal was changed/],
  [
    'log is overwritten',
    ({ path }) => shell(`printf x | dd of=${path}-wal conv=notrunc status=none`),
    /-wal was ch/,
  ],
  ['database is removed', ({ path }) => rmSync(path), /engine\.db was removed/],
  ['database is moved', ({ path }) => renameSync(path, `${path}.moved`), /engine\.db was removed/],
  [
    'database is replaced',
    ({ path }) => shell(`cp ${path} ${path}-x; mv ${path}-x ${path}`),
    /engine\.db was replaced/,
  ],
  [
    'database is overwritten',
    ({ path }) => shell(`cp ${path} ${path}-x; cat ${path}-x > ${path}`),
    /engine\.db was ch/,
  ],
  ['database is cut', ({ path }) => shell(`truncate -s -4096 ${path}`), /engine\.db was changed/],
  ['lock is removed', ({ lock }) => rmSync(lock), /lock\.db was removed/],
  [
    'lock is replaced',
    ({ lock }) => shell(`cp ${lock} ${lock}-x; mv ${lock}-x ${lock}`),
    /lock\.db was replaced/,
  ],
]

test.each(DAMAGES)('nothing is acknowledged after the %s', async (_, damage, why) => {
  const it = await opened()
  const doubts: string[] = []
  it.database.files?.onDoubt(({ reason }) => void doubts.push(reason))
  await it.add(2)
  damage(it)
  const answers = await Promise.allSettled([it.add(3), it.add(4), it.run('select 1 as one')])
  for (const answer of answers.slice(0, 2))
    expect(answer).toMatchObject({ reason: { code: 'unavailable', message: expect.stringMatching(why) } })
  // Reads could show what is gone already.
  await expect(it.run('select 1 as one')).rejects.toThrow(why)
  expect(doubts).toEqual([expect.stringMatching(why)])
  await it.database.close()
})

test.each(DAMAGES)('a look between two commits notices that the %s', async (_, damage, why) => {
  const it = await opened()
  damage(it)
  it.database.files?.look()
  expect(it.database.files?.doubt()?.reason).toMatch(why)
  await it.database.close()
})

test('a log that is removed during a commit is noticed after it', async () => {
  const it = await opened()
  const adding = it.database.transact(async (tx) => {
    await tx.execute({ sql: 'insert into numbers values (2)', parameters: [] })
    rmSync(`${it.path}-wal`)
  })
  await expect(adding).rejects.toThrow(/-wal was removed/)
  await it.database.close()
})

test('what a removed log holds is moved to the database at once', async () => {
  const it = await opened()
  for (let n = 2; n <= 50; n++) await it.add(n)
  rmSync(`${it.path}-wal`)
  await expect(it.add(51)).rejects.toThrow(/-wal was removed/)
  // A copy, as after a kill: nothing was closed.
  copyFileSync(it.path, `${it.path}-copy`)
  expect(stored(`${it.path}-copy`)).toHaveLength(50)
  await it.database.close()
})

test('a changed log is not written into the database, not even at the end', async () => {
  const it = await opened()
  await it.add(2)
  shell(`truncate -s 0 ${it.path}-wal`)
  copyFileSync(it.path, `${it.path}-before`)
  await expect(it.add(3)).rejects.toThrow(/-wal was changed/)
  await it.database.close()
  expect(existsSync(`${it.path}-wal`)).toBe(true)
  expect(() => shell(`cmp ${it.path} ${it.path}-before`)).not.toThrow()
})

test('other programs may commit with SQLite', async () => {
  const it = await opened()
  const other = new DatabaseSync(it.path)
  for (let n = 2; n < 20; n += 2) {
    other.exec(`insert into numbers values (${n})`)
    await it.add(n + 1)
    it.database.files?.look()
  }
  other.exec('insert into numbers values (100)')
  it.database.files?.look()
  other.close()
  await it.add(101)
  expect(it.database.files?.doubt()).toBeUndefined()
  expect(await it.run('select count(*) as n from numbers')).toEqual([{ n: 21 }])
  await it.database.close()
})

test('our own checkpoints and large transactions are no doubt', async () => {
  const it = await opened()
  await it.run('create table texts (t text)')
  // More than the cache of SQLite, so that pages reach the log before the COMMIT.
  const sql = `insert into texts select hex(randomblob(2000)) from (with recursive c(x) as
    (select 1 union all select x + 1 from c where x < 3000) select x from c)`
  for (let times = 0; times < 2; times++) await it.run(sql)
  const { mtimeMs } = statSync(it.path)
  for (let n = 2; n <= 250; n++) await it.add(n)
  // The checkpoint waits for a quiet moment.
  while (statSync(it.path).mtimeMs === mtimeMs) await sleep(20)
  for (let n = 251; n <= 300; n++) await it.add(n)
  it.database.files?.look()
  expect(it.database.files?.doubt()).toBeUndefined()
  await it.database.close()
  expect(stored(it.path)).toHaveLength(300)
})

test('a transaction that fails after it wrote to the log leaves no doubt', async () => {
  const { database, path, add } = await opened()
  const log = statSync(`${path}-wal`).size
  const fails = database.transact(async (tx) => {
    // More than SQLite keeps in memory, so that it writes before the end.
    const sql = `insert into numbers with recursive n(n) as (select 2 union all select n + 1 from n where n < 900000) select n from n`
    await tx.execute({ sql, parameters: [] })
    throw new Error('on purpose')
  })
  await expect(fails).rejects.toThrow('on purpose')
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(log)
  await add(2)
  expect(database.files?.doubt()).toBeUndefined()
  expect(stored(path)).toEqual([1, 2])
})
