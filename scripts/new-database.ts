import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '../src/store/sqlite.ts'
import { migrate } from '../src/store/store.ts'

/** The statements that make what all migrations make of an empty SQLite database. */
export async function newDatabase(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-schema-'))
  const path = join(folder, 'engine.db')
  try {
    const database = openSqlite(path)
    await migrate(database, { clock: { now: () => 0 } })
    await database.close()
    using db = new DatabaseSync(path, { readOnly: true })
    return statementsOf(db)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** SQLite makes its own tables itself, and those that a virtual table keeps its data in; the rows about migrations carry the time at which they are written. */
const OWN = /^sqlite_|^migrations$/

function statementsOf(db: DatabaseSync): readonly string[] {
  const made = db
    .prepare(
      `select type, name, sql from sqlite_master where sql is not null
        and name not in (select name from pragma_table_list where type = 'shadow') order by rowid`,
    )
    .all() as { type: string; name: string; sql: string }[]
  const tables = made.filter(({ type, name }) => type === 'table' && !OWN.test(name))
  return [
    ...made.filter(({ name }) => !name.startsWith('sqlite_')).map(({ sql }) => sql),
    ...tables.flatMap(({ name }) => insertsInto(db, name)),
  ]
}

function insertsInto(db: DatabaseSync, table: string): readonly string[] {
  const columns = db.prepare(`select name from pragma_table_info('${table}')`).all()
  const values = columns.map(({ name }) => `quote("${String(name)}")`).join(` || ', ' || `)
  const rows = db.prepare(`select ${values} as list from "${table}"`).all()
  return rows.map(({ list }) => `insert into ${table} values (${String(list)})`)
}
