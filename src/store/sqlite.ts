import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { EngineError } from '../model/error.ts'
import type { Database } from './database.ts'
import { type Frame, GroupCommit } from './group-commit.ts'
import type { Statement } from './query.ts'
import { ReadAnswers, tableChangedBy } from './read-answers.ts'

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
export function openSqlite(path: string): Database {
  const db = connect(path)
  let wrote = false
  const answers = new ReadAnswers()
  const execute = statements(db, answers, () => (wrote = true))
  const checkpoints = checkpointer(db)
  const listeners = new Set<() => void>()
  const commits = new GroupCommit(frame(db, answers), execute, () => {
    // Most hooks write nothing.
    if (!wrote) return
    wrote = false
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
    async backup(label) {
      const copy = `${path}.backup-${label}`
      await backup(db, copy)
      return copy
    },
    async close() {
      await commits.idle()
      checkpoints.stop()
      checkpoint(db, 'truncate')
      db.close()
    },
  }
}

function connect(path: string): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { enableForeignKeyConstraints: true })
    checkVersion(String(db.prepare('select sqlite_version() as v').get()?.['v']))
    configure(db)
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
    pragma cell_size_check = on; pragma wal_autocheckpoint = 0; pragma journal_size_limit = 67108864;
    pragma mmap_size = 0; pragma fullfsync = on; pragma checkpoint_fullfsync = on`)
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

function statements(db: DatabaseSync, answers: ReadAnswers, onWrite: () => void) {
  const cache = new Map<string, Cached>()
  const run = <Row>({ sql, parameters }: Statement<Row>): readonly Row[] => {
    let known = cache.get(sql)
    if (known === undefined) {
      if (cache.size >= CACHED_STATEMENTS) cache.clear()
      known = prepare(db, sql)
      cache.set(sql, known)
    }
    if (!known.isSelect) {
      onWrite()
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

function frame(db: DatabaseSync, answers: ReadAnswers): Frame {
  const statement = (sql: string) => {
    const prepared = db.prepare(sql)
    return () => void prepared.run()
  }
  const [read, write] = [statement('begin'), statement('begin immediate')]
  const [toSavepoint, release] = [statement('rollback to one'), statement('release one')]
  const version = db.prepare('pragma data_version')
  version.setReturnArrays(true)
  return {
    begin: (reads) => {
      if (reads) read()
      else write()
      answers.asOf((version.get() as unknown as number[])[0])
    },
    isBusy: (error) => codeOf(error) === SQLITE_BUSY,
    savepoint: statement('savepoint one'),
    release,
    rollbackToSavepoint: () => {
      answers.forget()
      toSavepoint()
      release()
    },
    commit: statement('commit'),
    rollback: () => {
      answers.forget()
      if (db.isTransaction) db.exec('rollback')
    },
    isOpen: () => db.isTransaction,
  }
}

function checkpointer(db: DatabaseSync) {
  let commits = 0
  let quiet: NodeJS.Timeout | undefined
  const empty = () => {
    commits = 0
    checkpoint(db, 'passive')
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

/** The log keeps the data safe, so a checkpoint that fails can run later. */
function checkpoint(db: DatabaseSync, mode: 'passive' | 'truncate'): void {
  try {
    db.exec(`pragma wal_checkpoint(${mode})`)
  } catch {
    // The next checkpoint retries.
  }
}

const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined

const SQLITE_BUSY = 5
const SQLITE_FULL = 13
/** Locked, no memory, read-only, I/O error, corrupt, cannot open, protocol, not a database. */
const SQLITE_OUTSIDE = new Set([6, 7, 8, 10, 11, 14, 15, 26])

/** Converts machine failures to engine errors, so that callers can tell a full disk from a bug. */
function explain(error: unknown): never {
  const code = codeOf(error)
  if (code === SQLITE_BUSY)
    throw new EngineError('unavailable', 'Another program has locked the database; nothing was changed.', {
      cause: error,
      hint: 'End that program or its transaction, then repeat the call.',
    })
  if (code === SQLITE_FULL)
    throw new EngineError('storage-full', 'The disk is full; nothing was changed.', {
      cause: error,
      hint: 'Free some space and repeat the call.',
    })
  if (!(error instanceof Error) || code === undefined || !SQLITE_OUTSIDE.has(code)) throw error
  throw new EngineError('unavailable', `The database failed: ${error.message}.`, {
    cause: error,
    hint: 'holdfast doctor',
  })
}
