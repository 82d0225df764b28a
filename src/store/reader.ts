import { DatabaseSync } from 'node:sqlite'
import { EngineError } from '../model/error.ts'
import { damageIn } from './damage.ts'
import { unreachable, withoutPassword } from './postgres-url.ts'

export type Rows = readonly Readonly<Record<string, unknown>>[]

/** A read-only connection for SQL queries of users; it never blocks the daemon. */
export interface Reader {
  query(sql: string): Promise<Rows>
  /** The first damage of the file; PostgreSQL checks its own. */
  damage(): string | undefined
  close(): Promise<void>
}

export function readSqlite(path: string): Reader {
  const db = new DatabaseSync(path, { readOnly: true })
  db.exec('pragma query_only = on; pragma busy_timeout = 5000')
  return {
    query(sql) {
      const statement = db.prepare(sql)
      // SQLite prepares the first statement and silently ignores the rest.
      if (sql.trimEnd().length > statement.sourceSQL.trimEnd().length)
        return Promise.reject(new EngineError('invalid', 'query accepts one statement at a time.'))
      statement.setReturnArrays(true)
      // Without it, large integers are errors.
      statement.setReadBigInts(true)
      const names = statement.columns().map(({ name }) => name)
      return Promise.resolve(toRows(names, statement.all() as unknown as unknown[][]))
    },
    damage: () => damageIn(db, 'whole'),
    close: () => Promise.resolve(db.close()),
  }
}

export async function readPostgres(url: string): Promise<Reader> {
  withoutPassword(url)
  // Loaded only if needed, because the driver is slow to load.
  const { Client, types } = await import('pg')
  const numbers: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC])
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 3000,
    statement_timeout: 60_000,
    query_timeout: 61_000,
    options: '-c default_transaction_read_only=on',
    types: {
      getTypeParser: (id, format) => (numbers.has(id) ? toNumber : types.getTypeParser(id, format)),
    },
  })
  await client.connect().catch((error: unknown) => {
    throw unreachable(error)
  })
  let asked = 0
  return {
    // A prepared statement is a single one, so no second one can end the read-only mode.
    async query(sql) {
      const name = `query ${++asked}`
      const { fields, rows } = await client.query<unknown[]>({ text: sql, name, rowMode: 'array' })
      return toRows(
        fields.map((field) => field.name),
        rows,
      )
    },
    damage: () => undefined,
    close: () => client.end(),
  }
}

/** Keeps columns with the same name: the second `id` becomes `id_2`. */
function toRows(names: readonly string[], rows: readonly (readonly unknown[])[]): Rows {
  const columns: string[] = []
  for (const name of names) {
    let column = name
    for (let count = 2; columns.includes(column); count++) column = `${name}_${count}`
    columns.push(column)
  }
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, toValue(row[at])])))
}

/** A value that JSON can hold without loss. */
function toValue(value: unknown): unknown {
  if (typeof value === 'bigint') return toNumber(String(value))
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return value
}

/** A number, unless it is an integer that would lose digits. */
function toNumber(text: string): number | string {
  const value = Number(text)
  return Number.isSafeInteger(value) || !Number.isInteger(value) ? value : text
}
