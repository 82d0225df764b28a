import { DatabaseSync } from 'node:sqlite'
import { EngineError } from '../model/error.ts'
import { unreachable, withoutPassword } from './postgres-url.ts'

export type Rows = readonly Readonly<Record<string, unknown>>[]

/** A connection that can only read, for people who ask in SQL; it never disturbs the daemon. */
export interface Reader {
  query(sql: string): Promise<Rows>
  close(): Promise<void>
}

export function readSqlite(path: string): Reader {
  const db = new DatabaseSync(path, { readOnly: true })
  db.exec('pragma query_only = on; pragma busy_timeout = 5000')
  return {
    query(sql) {
      const statement = db.prepare(sql)
      // SQLite prepares the first statement and would leave the rest out without a word.
      if (sql.trimEnd().length > statement.sourceSQL.trimEnd().length)
        return Promise.reject(new EngineError('invalid', 'query takes one statement at a time.'))
      return Promise.resolve(statement.all())
    },
    close: () => Promise.resolve(db.close()),
  }
}

export async function readPostgres(url: string): Promise<Reader> {
  withoutPassword(url)
  // Only who has a PostgreSQL waits for its driver.
  const { Client } = await import('pg')
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
    options: '-c default_transaction_read_only=on',
  })
  await client.connect().catch((error: unknown) => {
    throw unreachable(error)
  })
  let asked = 0
  return {
    // A prepared statement is one statement, so a text cannot smuggle a second one that ends the read-only mode.
    async query(sql) {
      const name = `query ${++asked}`
      return (await client.query<Record<string, unknown>>({ text: sql, name })).rows
    },
    close: () => client.end(),
  }
}
