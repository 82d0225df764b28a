import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import known from '../store/schema-version.json' with { type: 'json' }
import { homeWithDatabase, keeping, keptIn } from './backup-home.contract.ts'
import { addBackup, listBackups } from './backups.ts'
import type { Home } from './home.ts'
import { checkBackup, restoreBackup, settleDatabase } from './restore.ts'
import { entriesMissing } from './snapshot.ts'

/** A home whose database says `now`, partly in its log, and a backup that says `then`. */
async function withBackup() {
  const home = await homeWithDatabase()
  keeping(home, 'then').close()
  const { path } = await addBackup(home, 'manual')
  leaveLog(home)
  return { home, path }
}

/** Commits `now` as a killed process does: only in the log. */
function leaveLog({ database, folder }: Home): void {
  const db = new DatabaseSync(database)
  db.exec(`update settings set value = 'now' where name = 'test'`)
  const aside = join(folder, 'engine.aside')
  mkdirSync(aside)
  for (const ending of ['', '-wal']) renameSync(`${database}${ending}`, join(aside, `engine.db${ending}`))
  db.close()
  for (const name of readdirSync(aside)) renameSync(join(aside, name), join(folder, name))
}

test('a restore puts the backup in place, and keeps what was there with its log', async () => {
  const { home, path } = await withBackup()
  expect(statSync(`${home.database}-wal`).size).toBeGreaterThan(0)
  const set = await restoreBackup(home, path)
  expect(keptIn(home.database)).toBe('then')
  expect(keptIn(join(set ?? '', 'engine.db'))).toBe('now')
  const [replaced] = listBackups(home)
  expect(replaced).toMatchObject({ kind: 'replaced', name: basename(set ?? '') })
  expect(statSync(home.database).mode & 0o777).toBe(0o600)
  await restoreBackup(home, replaced?.path ?? '')
  expect(keptIn(home.database)).toBe('now')
})

test('a fresh home needs nothing but the backup', async () => {
  const { path } = await withBackup()
  const fresh = await homeWithDatabase()
  for (const name of readdirSync(fresh.folder))
    renameSync(join(fresh.folder, name), join(fresh.folder, '..', name))
  expect(await restoreBackup(fresh, path)).toBeUndefined()
  expect(keptIn(fresh.database)).toBe('then')
})

describe('a restore that was killed', () => {
  const READY = 'engine.db.restored-replaced-2026-11-18T010203.004Z'

  test('before the copy is complete changes nothing, and leaves nothing', async () => {
    const { home } = await withBackup()
    const unfinished = `${READY}.holdfast-${2 ** 22 + 1}-0a1b2c3d`
    for (const name of [unfinished, `${unfinished}-journal`]) writeFileSync(join(home.folder, name), 'half')
    expect(settleDatabase(home)).toBeUndefined()
    expect(keptIn(home.database)).toBe('now')
    expect(readdirSync(home.folder).filter((name) => name.includes('restored'))).toEqual([])
  })

  test.each([
    ['before anything moved', []],
    ['after the database moved', ['']],
    ['after the database and its log moved', ['', '-wal']],
  ])('%s is ended by the next start', async (_, moved) => {
    const { home, path } = await withBackup()
    renameSync(path, join(home.folder, READY))
    const set = join(home.backups, 'replaced-2026-11-18T010203.004Z')
    mkdirSync(set)
    for (const ending of moved) renameSync(`${home.database}${ending}`, join(set, `engine.db${ending}`))
    settleDatabase(home)
    expect(keptIn(home.database)).toBe('then')
    expect(keptIn(join(set, 'engine.db'))).toBe('now')
    expect(settleDatabase(home)).toBeUndefined()
  })

  test('never replaces what it has kept', async () => {
    const { home, path } = await withBackup()
    const set = join(home.backups, 'replaced-2026-11-18T010203.004Z')
    mkdirSync(set)
    writeFileSync(join(set, 'engine.db'), 'kept before')
    renameSync(path, join(home.folder, READY))
    expect(settleDatabase(home)).toBe(`${set}.more`)
    expect(keptIn(join(`${set}.more`, 'engine.db'))).toBe('now')
    expect(statSync(join(set, 'engine.db')).size).toBe('kept before'.length)
  })
})

describe('refuses to restore', () => {
  const damages: Readonly<Record<string, (path: string) => void>> = {
    'an empty file': (path) => truncateSync(path, 0),
    'half of a backup': (path) => truncateSync(path, statSync(path).size / 2),
    'a text': (path) => writeFileSync(path, 'This is not a database. '.repeat(500)),
    'a database of another program': (path) => {
      truncateSync(path, 0)
      using db = new DatabaseSync(path)
      db.exec('create table other (id)')
    },
    'a backup with a damaged page': (path) => {
      const file = openSync(path, 'r+')
      writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, 8 * 4096)
      closeSync(file)
    },
  }
  test.each(Object.keys(damages))('%s', async (what) => {
    const { home, path } = await withBackup()
    damages[what]?.(path)
    await expect(checkBackup(path)).rejects.toMatchObject({ code: 'conflict' })
    await expect(restoreBackup(home, path)).rejects.toBeDefined()
    expect(keptIn(home.database)).toBe('now')
    expect(readdirSync(home.backups)).toEqual([basename(path)])
  })

  test('a backup of a newer version', async () => {
    const { home, path } = await withBackup()
    using db = new DatabaseSync(path)
    db.exec(`insert into migrations values (${known.version + 1}, 'newer', '')`)
    db.close()
    await expect(restoreBackup(home, path)).rejects.toMatchObject({ code: 'newer-database' })
    expect(keptIn(home.database)).toBe('now')
  })
})

test('later entries are those that the backup lacks, also after another restore', async () => {
  const { home, path } = await withBackup()
  const add = (...ids: readonly string[]) => {
    using db = new DatabaseSync(home.database)
    for (const id of ids) db.exec(`insert into life_event (id, skill) values ('${id}', 's')`)
  }
  expect(entriesMissing(home.database, path)).toBe(0)
  add('a', 'b')
  const { path: second } = await addBackup(home, 'manual')
  add('c')
  expect([path, second].map((one) => entriesMissing(home.database, one))).toEqual([3, 1])
  await restoreBackup(home, path)
  add('d')
  expect(entriesMissing(home.database, second)).toBe(1)
})
