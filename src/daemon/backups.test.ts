import { readdirSync, statfsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readSqlite } from '../store/open.contract.ts'
import { damageIndex } from '../store/damaged-index.contract.ts'
import { migrations } from '../store/migrations/index.ts'
import { openSqlite } from '../store/sqlite.ts'
import { migrate } from '../store/store.ts'
import { addBackup, listBackups, writeBackup } from './backups.ts'
import { clock } from './clock.ts'
import { homeWithDatabase, keeping, keptIn } from './backup-home.contract.ts'
import { findHome } from './home.ts'
import { backUpDaily } from './jobs/back-up-daily.ts'
import { damageOf } from './snapshot.ts'

test('a backup is a private, whole copy of what is committed, also of what is only in the log', async () => {
  const home = await homeWithDatabase()
  using db = keeping(home, 'one')
  expect(db.isOpen).toBe(true)
  const { path, kind, bytes } = await addBackup(home, 'manual')
  expect(kind).toBe('manual')
  expect(keptIn(path)).toBe('one')
  expect(statSync(path)).toMatchObject({ size: bytes, mode: 0o100600 })
})

test('a backup that stops leaves nothing, and those before it stay', async () => {
  const home = await homeWithDatabase()
  const before = await addBackup(home, 'manual')
  await expect(addBackup(home, 'daily', { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
  expect(readdirSync(home.backups)).toEqual([before.name])
})

test('a stop does not wait for the check of a backup', async () => {
  const home = await homeWithDatabase()
  await expect(damageOf(home.database, AbortSignal.abort())).rejects.toThrow('aborted')
})

test('a copy whose index misses rows is no backup, because no daemon would start with it', async () => {
  const home = await homeWithDatabase()
  damageIndex(home.database)
  await expect(addBackup(home, 'manual')).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('missing from index found') as string,
  })
  expect(readdirSync(home.backups)).toEqual([])
})

test('without room on the disk no backup is made, and those before it stay', async () => {
  const home = await homeWithDatabase()
  const before = await addBackup(home, 'manual')
  const { bavail, bsize } = statfsSync(home.folder)
  // The end of the file is a hole, which takes no space.
  truncateSync(home.database, bavail * bsize)
  for (const label of ['manual', 'daily', 'from-v1'] as const)
    await expect(addBackup(home, label)).rejects.toMatchObject({ code: 'storage-full' })
  expect(readdirSync(home.backups)).toEqual([before.name])
})

test('the next backup removes what a killed one left, but not the work of a living process', async () => {
  const home = await homeWithDatabase()
  await addBackup(home, 'manual')
  const [dead, living] = [2 ** 22 + 1, process.ppid].map(
    (pid) => `engine-x-daily.db.holdfast-${pid}-0a1b2c3d`,
  )
  for (const name of [dead, `${dead}-journal`, living]) writeFileSync(join(home.backups, String(name)), '')
  await addBackup(home, 'manual')
  expect(readdirSync(home.backups).filter((name) => name.includes('holdfast'))).toEqual([living])
})

test('only as many backups stay as the config says', async () => {
  const home = await homeWithDatabase({ HOLDFAST_KEEP_BACKUPS: '2' })
  const made = []
  for (let count = 0; count < 3; count++) {
    made.push((await addBackup(home, 'manual')).name)
    await sleep(2)
  }
  expect(listBackups(home).map(({ name }) => name)).toEqual(made.slice(1).toReversed())
})

test('a migration that fails at every start leaves one backup, from before it', async () => {
  const home = await homeWithDatabase()
  keeping(home, 'before').close()
  const fails = { up: () => Promise.reject(new Error('in the middle')) }
  const list = [...migrations, ['fails', fails]] as const
  const backUp = (version: number) => addBackup(home, `from-v${version}`)
  for (let start = 0; start < 3; start++) {
    const database = openSqlite(home.database)
    await expect(migrate(database, { clock, backUp }, list)).rejects.toThrow('in the middle')
    await database.close()
    await sleep(2)
  }
  const [only, ...others] = listBackups(home)
  expect(others).toEqual([])
  expect(only).toMatchObject({
    kind: 'migration',
    name: expect.stringContaining(`-from-v${migrations.length}.db`),
  })
  expect(keptIn(only?.path ?? '')).toBe('before')
  expect(readSqlite(only?.path ?? '', 'select max(version) as v from migrations')).toEqual([
    { v: migrations.length },
  ])
})

test('backups of older versions are listed, and never removed', async () => {
  const home = await homeWithDatabase({ HOLDFAST_KEEP_BACKUPS: '1' })
  const older = `${home.database}.backup-v24-2026-01-02T030405006Z`
  await writeBackup(home, older)
  for (let count = 0; count < 2; count++) {
    await addBackup(home, 'manual')
    await sleep(2)
  }
  expect(listBackups(home).map(({ kind }) => kind)).toEqual(['manual', 'migration'])
  expect(listBackups(home)[1]).toMatchObject({ path: older, made_at: '2026-01-02T03:04:05.006Z' })
})

test('a daily backup is made once', async () => {
  const home = await homeWithDatabase()
  const log = { write: () => undefined, close: () => undefined }
  const run = backUpDaily.begin({ home, log })
  await run(new AbortController().signal)
  await run(new AbortController().signal)
  expect(listBackups(home)).toMatchObject([{ kind: 'daily' }])
})

test.each([[{ HOLDFAST_BACKUP: 'off' }], [{ HOLDFAST_DATABASE_URL: 'postgres://localhost/holdfast' }]])(
  'no daily backup is made with %j',
  (env) => {
    const log = { write: () => undefined, close: () => undefined }
    expect(backUpDaily.every({ home: findHome({ HOME: '/nowhere', ...env }), log })).toBeUndefined()
  },
)
