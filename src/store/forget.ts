import type { Tx } from './query.ts'

/** What the deletions of `forget` share. Raw SQL, because they also run on backups of older versions. */

/** A database of any version: its tables with their columns, and the transaction that changes it. */
export interface Erasing {
  readonly tx: Tx
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>
}

/** How much was forgotten, or would be. */
export interface Forgotten {
  readonly sessions: number
  readonly messages: number
  readonly efforts: number
  readonly tasks: number
  /** Pieces of the index. */
  readonly pieces: number
  /** Ledger entries that lost their content. */
  readonly entries: number
  /** Other rows and values. */
  readonly others: number
}

export const NOTHING: Forgotten = {
  sessions: 0,
  messages: 0,
  efforts: 0,
  tasks: 0,
  pieces: 0,
  entries: 0,
  others: 0,
}

/** Both together. */
export const plus = (a: Forgotten, b: Partial<Forgotten>): Forgotten => ({
  sessions: a.sessions + (b.sessions ?? 0),
  messages: a.messages + (b.messages ?? 0),
  efforts: a.efforts + (b.efforts ?? 0),
  tasks: a.tasks + (b.tasks ?? 0),
  pieces: a.pieces + (b.pieces ?? 0),
  entries: a.entries + (b.entries ?? 0),
  others: a.others + (b.others ?? 0),
})

const COLUMNS = {
  sqlite: `select m.name as "table", c.name as "column" from sqlite_schema m, pragma_table_info(m.name) c
    where m.type = 'table' and m.sql not like 'create virtual%'`,
  postgres: `select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema()`,
}

/** The tables of a database, whatever its version. */
export async function tablesIn(tx: Tx): Promise<Erasing['tables']> {
  const rows = await tx.execute<{ table: string; column: string }>({ sql: COLUMNS[tx.kind], parameters: [] })
  const tables = new Map<string, Set<string>>()
  for (const { table, column } of rows) tables.set(table, (tables.get(table) ?? new Set()).add(column))
  return tables
}

export const has = ({ tables }: Erasing, table: string, ...columns: readonly string[]): boolean =>
  columns.every((column) => tables.get(table)?.has(column) === true)

/** Values for a statement, in the places that its text names with `$`. */
type Value = string | number

/** Below the limits of both databases. */
const AT_ONCE = 500

/** Runs a statement for all values of one list, which stands where the text says `$`, a part at a time. */
export async function forAll<Row>(
  { tx }: Erasing,
  sql: string,
  values: readonly Value[],
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let at = 0; at < values.length; at += AT_ONCE) {
    const part = values.slice(at, at + AT_ONCE)
    // The list may stand in several places; a server counts its parameters, SQLite only their places.
    const parameters: Value[] = []
    const text = sql.replaceAll('$', () =>
      part
        .map((value) => (tx.kind === 'sqlite' ? (parameters.push(value), '?') : `$${parameters.push(value)}`))
        .join(', '),
    )
    rows.push(...(await tx.execute<Row>({ sql: text, parameters })))
  }
  return rows
}

/** Deletes the rows in which a column has one of these values; returns how many. */
export async function remove(
  it: Erasing,
  table: string,
  column: string,
  values: readonly Value[],
): Promise<number> {
  if (!has(it, table, column)) return 0
  return (await forAll(it, `delete from ${table} where ${column} in ($) returning 1 as gone`, values)).length
}

/** Sets a column to null where another one has one of these values. */
export async function detach(
  it: Erasing,
  table: string,
  { set, where }: { readonly set: string; readonly where: string },
  values: readonly Value[],
): Promise<void> {
  if (has(it, table, set, where))
    await forAll(it, `update ${table} set ${set} = null where ${where} in ($)`, values)
}

/** Lets a transaction blank entries of the ledger, which refuses every other change. */
export async function withOpenLedger<T>(it: Erasing, run: () => Promise<T>): Promise<T> {
  const { tx } = it
  const say = (sql: string) => tx.execute<{ sql: string }>({ sql, parameters: [] })
  if (tx.kind === 'postgres') {
    await say('alter table life_event disable trigger life_event_no_change')
    const result = await run()
    await say('alter table life_event enable trigger life_event_no_change')
    return result
  }
  const [guard] = await say(
    `select sql from sqlite_schema where type = 'trigger' and name = 'life_event_no_update'`,
  )
  await say('drop trigger if exists life_event_no_update')
  const result = await run()
  if (guard !== undefined) await say(guard.sql)
  return result
}

/** Answers to calls that are over may hold anything; a repeated call then gets none, and still changes nothing. */
export async function blankAnswers(it: Erasing): Promise<void> {
  if (has(it, 'idempotency_keys', 'intent'))
    await it.tx.execute({
      sql: `update idempotency_keys set result = 'null', intent = null where result is not null`,
      parameters: [],
    })
  if (has(it, 'plans', 'digest') && has(it, 'efforts', 'plan_digest'))
    await it.tx.execute({
      sql: `delete from plans where not exists (select 1 from efforts where plan_digest = plans.digest)`,
      parameters: [],
    })
}
