import {
  type Compilable,
  DefaultQueryExecutor,
  type DialectAdapter,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryCompiler,
  QueryCreator,
  SqliteAdapter,
  SqliteQueryCompiler,
} from 'kysely'
import type { Tables } from './schema.ts'

export type DatabaseKind = 'sqlite' | 'postgres'
export type Builder = QueryCreator<Tables>

/** A statement ready to run. */
export interface Statement<Row> {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Only says what the rows are; never set. */
  readonly row?: Row
}

/** One open transaction. All that a method's `run` may await. */
export interface Tx {
  readonly kind: DatabaseKind
  execute<Row>(statement: Statement<Row>): Promise<readonly Row[]>
  /** For state in memory that was moved into this transaction and must come back if it is undone, the last first. */
  onRollback(undo: () => void): void
}

const NOWHERE = { provideConnection: () => Promise.reject(new Error('A query is run by its transaction.')) }

/**
 * Kysely only writes our SQL: it is compiled here once and run by the database's own cached statements. Its class of
 * that name would bring along schemas and drivers, which every start would wait for.
 */
const builderOf = (compiler: QueryCompiler, adapter: DialectAdapter): Builder =>
  new QueryCreator({ executor: new DefaultQueryExecutor(compiler, adapter, NOWHERE) })

const builders: Readonly<Record<DatabaseKind, Builder>> = {
  sqlite: builderOf(new SqliteQueryCompiler(), new SqliteAdapter()),
  postgres: builderOf(new PostgresQueryCompiler(), new PostgresAdapter()),
}

type Build<P, Row> = (db: Builder, params: P, kind: DatabaseKind) => Compilable<Row>

/** A query that is compiled at its first use and costs only its execution afterwards. */
export function query<P extends object, Row>(
  build: Build<P, Row>,
): (tx: Tx, params: P) => Promise<readonly Row[]> {
  const compiled: Partial<Record<DatabaseKind, Statement<Row>>> = {}
  return (tx, params) => {
    const statement = (compiled[tx.kind] ??= compileOnce(build, tx.kind))
    return tx.execute<Row>({ sql: statement.sql, parameters: fill(statement.parameters, params) })
  }
}

/** The same for a query of which only the first row matters. */
export function queryOne<P extends object, Row>(
  build: Build<P, Row>,
): (tx: Tx, params: P) => Promise<Row | undefined> {
  const all = query(build)
  return async (tx, params) => (await all(tx, params))[0]
}

/** A query whose shape depends on its parameters, compiled each time: for lists and searches only. */
export function queryOf<Row>(tx: Tx, build: (db: Builder) => Compilable<Row>): Promise<readonly Row[]> {
  return tx.execute<Row>(build(builders[tx.kind]).compile())
}

/** Row locks are PostgreSQL's way to what one writer gives SQLite for nothing. */
export function locked<Q extends { forUpdate(): Q }>(select: Q, kind: DatabaseKind): Q {
  return kind === 'postgres' ? select.forUpdate() : select
}

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

function compileOnce<P extends object, Row>(build: Build<P, Row>, kind: DatabaseKind): Statement<Row> {
  const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as P
  return build(builders[kind], placeholders, kind).compile()
}

function fill(parameters: readonly unknown[], params: object): readonly unknown[] {
  return parameters.map((parameter) =>
    parameter instanceof Placeholder
      ? ((params as Record<string, unknown>)[parameter.name] ?? null)
      : parameter,
  )
}
