import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { EngineError } from '../model/error.ts'
import type { Database } from './database.ts'
import { FileWatch, LOG_LIMIT_BYTES, unwatched, type WatchedFiles } from './file-watch.ts'
import { type Frame, GroupCommit } from './group-commit.ts'
import type { Statement } from './query.ts'
import { ReadAnswers, tableChangedBy } from './read-answers.ts'
import { codeOf, explain, SQLITE_BUSY } from './sqlite-errors.ts'
import { Writes } from './writes.ts'

/** Older versions can corrupt a WAL database that two connections use. */
const OLDEST_SQLITE = '3.51.3'
const CACHED_STATEMENTS = 500
/** Checkpoints wait for an idle moment, because they would slow down a hook. */
const CHECKPOINT_AFTER_COMMITS = 200
const CHECKPOINT_AT_LATEST = 5000
const QUIET_MILLISECONDS = 50
/** SQLite blocks the process while it waits, so longer waits happen in the group commit. */
const SQLITE_WAITS_MILLISECONDS = 10

/** The embedded database: one connection, one writer, FULL. */
export function openSqlite(path: string, watched: WatchedFiles = unwatched): Database {
  const db = connect(path)
  const files = new FileWatch(watched)
  const writes = new Writes(db, files)
  const answers = new ReadAnswers()
  const execute = statements(db, answers, (table) => writes.begin(table))
  const checkpoints = checkpointer(db, writes)
  const listeners = new Set<() => void>()
  const commits = new GroupCommit(frame(db, answers, writes), execute, () => {
    // Most hooks write nothing.
    if (!writes.hasBegun) return
    checkpoints.committed()
    for (const listener of listeners) listener()
  })
  return {
    kind: 'sqlite',
    location: path,
    async transact(run, options = {}) {
      if (!db.isOpen) throw new EngineError('unavailable', 'The database is closed.')
      return await commits.transact(run, options).catch(explain)
    },
    onCommit(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      await commits.idle()
      checkpoints.stop()
      writes.close()
    },
    files: {
      doubt: () => files.doubt,
      onDoubt: (listener) => files.onDoubt(listener),
      look: () => writes.look(),
      check: () => writes.check(),
      mistrust: (doubt) => void files.mistrust(doubt),
      acknowledge: (seq) => files.acknowledge(seq),
      rewrite: (work) => commits.alone(() => writes.rewrite(work)),
    },
  }
}

function connect(path: string): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { enableForeignKeyConstraints: true })
    checkVersion(String(db.prepare('select sqlite_version() as v').get()?.['v']))
    configure(db)
    // Opens the log, so that it can be watched.
    db.exec('select 1 from sqlite_master')
    return db
  } catch (error) {
    db?.close()
    return explain(error)
  }
}

export function checkVersion(version: string): void {
  const rank = (text: string) => text.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0)
  if (rank(version) < rank(OLDEST_SQLITE))
    throw new EngineError(
      'unavailable',
      `SQLite ${version} can corrupt its data; ${OLDEST_SQLITE} or newer is needed.`,
      {
        hint: 'Install Node.js 24.12 or newer, which includes a safe version.',
      },
    )
}

function configure(db: DatabaseSync): void {
  const pragma = (text: string) => Object.values(db.prepare(`pragma ${text}`).get() ?? {})[0]
  if (pragma('journal_mode') !== 'wal') pragma('journal_mode = wal')
  db.exec(`pragma synchronous = full; pragma busy_timeout = ${SQLITE_WAITS_MILLISECONDS}; pragma trusted_schema = off;
    pragma cell_size_check = on; pragma wal_autocheckpoint = 0; pragma journal_size_limit = ${LOG_LIMIT_BYTES};
    pragma mmap_size = 0; pragma secure_delete = fast; pragma fullfsync = on; pragma checkpoint_fullfsync = on`)
  // INV_ACK_IS_DURABLE: a build or a setting may override it, so the value is read back.
  if (pragma('synchronous') !== 2)
    throw new EngineError(
      'unavailable',
      'SQLite did not accept synchronous=FULL, so committed changes could be lost.',
    )
}

interface Cached {
  readonly statement: StatementSync
  /** The names of the result columns; empty if there are none. */
  readonly columns: readonly string[]
  readonly isSelect: boolean
  readonly changes: string | undefined
}

function statements(db: DatabaseSync, answers: ReadAnswers, onWrite: (table: string | undefined) => void) {
  const cache = new Map<string, Cached>()
  const run = <Row>({ sql, parameters }: Statement<Row>): readonly Row[] => {
    let known = cache.get(sql)
    if (known === undefined) {
      if (cache.size >= CACHED_STATEMENTS) cache.clear()
      known = prepare(db, sql)
      cache.set(sql, known)
    }
    if (!known.isSelect) {
      onWrite(known.changes)
      answers.forget(known.changes)
    }
    const { statement, columns } = known
    const values = parameters as SQLInputValue[]
    if (columns.length > 0)
      return (statement.all(...values) as unknown as unknown[][]).map((row) => named<Row>(columns, row))
    statement.run(...values)
    return []
  }
  return async <Row>(statement: Statement<Row>): Promise<readonly Row[]> =>
    answers.to(statement, () => run(statement))
}

function prepare(db: DatabaseSync, sql: string): Cached {
  const statement = db.prepare(sql)
  const columns = statement.columns().map(({ name }) => name)
  // Building the objects here takes two thirds of the time.
  statement.setReturnArrays(true)
  return { statement, columns, isSelect: sql.startsWith('select '), changes: tableChangedBy(sql) }
}

function named<Row>(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) row[columns[index] ?? ''] = values[index]
  return row as Row
}

function frame(db: DatabaseSync, answers: ReadAnswers, writes: Writes): Frame {
  const statement = (sql: string) => {
    const prepared = db.prepare(sql)
    return () => void prepared.run()
  }
  const [read, write] = [statement('begin'), statement('begin immediate')]
  const [toSavepoint, release] = [statement('rollback to one'), statement('release one')]
  return {
    begin: (reads) => {
      writes.prepare()
      if (reads) read()
      else write()
      answers.asOf(writes.open())
    },
    isBusy: (error) => codeOf(error) === SQLITE_BUSY,
    savepoint: statement('savepoint one'),
    release,
    rollbackToSavepoint: (error) => {
      writes.suspect(error)
      answers.forget()
      toSavepoint()
      release()
    },
    commit: () => writes.commit(),
    rollback: (error) => {
      answers.forget()
      if (db.isTransaction) db.exec('rollback')
      writes.rolledBack(error)
    },
    isOpen: () => db.isTransaction,
  }
}

function checkpointer(db: DatabaseSync, writes: Writes) {
  let commits = 0
  let quiet: NodeJS.Timeout | undefined
  const empty = () => {
    commits = 0
    writes.checkpoint()
  }
  return {
    committed() {
      commits++
      clearTimeout(quiet)
      if (commits >= CHECKPOINT_AT_LATEST) setImmediate(() => db.isOpen && empty())
      else if (commits >= CHECKPOINT_AFTER_COMMITS) quiet = setTimeout(empty, QUIET_MILLISECONDS).unref()
    },
    stop: () => clearTimeout(quiet),
  }
}
