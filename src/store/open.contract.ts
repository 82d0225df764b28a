import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { createDatabase } from '../../test/postgres.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Opened } from './store.contract.ts'

/** A new SQLite database in a folder of its own. */
export async function temporarySqlite(): Promise<Opened & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-sqlite-'))
  const path = join(folder, 'engine.db')
  let reader: DatabaseSync | undefined
  return {
    path,
    database: openSqlite(path),
    again: () => Promise.resolve(openSqlite(path)),
    // Kept open, because whole databases are looked at, table by table and again and again.
    async look(sql) {
      reader ??= new DatabaseSync(path, { readOnly: true })
      return reader.prepare(sql).all()
    },
    async dispose() {
      reader?.close()
      await rm(folder, { recursive: true })
    },
  }
}

export function readSqlite(path: string, sql: string): readonly Record<string, unknown>[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}

/** A new database on the PostgreSQL of this test run. */
export async function temporaryPostgres(server: string): Promise<Opened & { readonly url: string }> {
  const url = await createDatabase(server)
  const raw = await connect(url)
  return {
    url,
    database: await openPostgres(url),
    again: () => openPostgres(url),
    look: async (sql) => (await raw.query<Record<string, unknown>>(sql)).rows,
    dispose: () => raw.end(),
  }
}

/** A connection that passes by all of our code. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
