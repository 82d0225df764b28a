import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { memoryDisk } from '../../test/memory-disk.ts'
import { readSqlite } from '../store/open.contract.ts'
import { openSqlite } from '../store/sqlite.ts'
import { openStore } from '../store/store.ts'
import { clock } from './clock.ts'
import { findHome, type Home, preparePrivateFolders } from './home.ts'

/** A home with a database. */
export async function homeWithDatabase(more: Readonly<Record<string, string>> = {}): Promise<Home> {
  const folder = mkdtempSync(join(memoryDisk, 'holdfast-backups-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = findHome({ HOME: folder, HOLDFAST_HOME: join(folder, 'home'), ...more })
  preparePrivateFolders(home)
  await (await openStore(openSqlite(home.database), { clock })).close()
  return home
}

/** Keeps a value, and its log beside the database while the connection is open. */
export function keeping(home: Home, value: string): DatabaseSync {
  const db = new DatabaseSync(home.database)
  db.exec(
    `insert into settings values ('test', '${value}') on conflict (name) do update set value = excluded.value`,
  )
  return db
}

/** The value that a database keeps. */
export const keptIn = (path: string): unknown =>
  readSqlite(path, `select value from settings where name = 'test'`)[0]?.['value']
