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
  /** Names a text that never changes, so that a database can keep it prepared. */
  readonly name?: string
  /** Carries the row type; never set. */
  readonly row?: Row
}

/** An open transaction: the only thing that a method's `run` may await. */
export interface Tx {
  readonly kind: DatabaseKind
  execute<Row>(statement: Statement<Row>): Promise<readonly Row[]>
  /** Restores state in memory if this transaction is rolled back, in reverse order. */
  onRollback(undo: () => void): void
}

const NOWHERE = { provideConnection: () => Promise.reject(new Error('A query is run by its transaction.')) }

/**
 * Kysely only builds SQL here; the database runs it with cached statements. The `Kysely` class would load schemas and
 * drivers at every start.
 */
const builderOf = (compiler: QueryCompiler, adapter: DialectAdapter): Builder =>
  new QueryCreator({ executor: new DefaultQueryExecutor(compiler, adapter, NOWHERE) })

const builders: Readonly<Record<DatabaseKind, Builder>> = {
  sqlite: builderOf(new SqliteQueryCompiler(), new SqliteAdapter()),
  postgres: builderOf(new PostgresQueryCompiler(), new PostgresAdapter()),
}

/** Builds a query from its parameters. */
export type Build<P, Row> = (db: Builder, params: P, kind: DatabaseKind) => Compilable<Row>

/** A query that is compiled once, on first use. */
export function query<P extends object, Row>(
  build: Build<P, Row>,
): (tx: Tx, params: P) => Promise<readonly Row[]> {
  const compiled: Partial<Record<DatabaseKind, Statement<Row>>> = {}
  return (tx, params) => {
    const statement = (compiled[tx.kind] ??= compileOnce(build, tx.kind))
    return tx.execute<Row>({ ...statement, parameters: fill(statement.parameters, params) })
  }
}

/** The same for a query with one row. */
export function queryOne<P extends object, Row>(
  build: Build<P, Row>,
): (tx: Tx, params: P) => Promise<Row | undefined> {
  const all = query(build)
  return async (tx, params) => (await all(tx, params))[0]
}

/** A query whose shape depends on its parameters, compiled each time; only for lists and searches. */
export function queryOf<Row>(tx: Tx, build: (db: Builder) => Compilable<Row>): Promise<readonly Row[]> {
  return tx.execute<Row>(build(builders[tx.kind]).compile())
}

/** PostgreSQL needs row locks; SQLite has a single writer. */
export function locked<Q extends { forUpdate(): Q }>(select: Q, kind: DatabaseKind): Q {
  return kind === 'postgres' ? select.forUpdate() : select
}

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

let names = 0

function compileOnce<P extends object, Row>(build: Build<P, Row>, kind: DatabaseKind): Statement<Row> {
  const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as P
  const { sql, parameters } = build(builders[kind], placeholders, kind).compile()
  return { sql, parameters, name: `holdfast_${++names}` }
}

function fill(parameters: readonly unknown[], params: object): readonly unknown[] {
  return parameters.map((parameter) =>
    parameter instanceof Placeholder
      ? ((params as Record<string, unknown>)[parameter.name] ?? null)
      : parameter,
  )
}
