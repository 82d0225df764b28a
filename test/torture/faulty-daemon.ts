import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { findHome, type Home } from '../../src/daemon/home.ts'
import { startDaemon } from '../../src/daemon/main.ts'
import type { Database } from '../../src/store/database.ts'
import { type Frame, GroupCommit } from '../../src/store/group-commit.ts'
import type { Tx } from '../../src/store/query.ts'
import { untilStopped } from '../until-stopped.ts'

/** How long an answer is ahead of its COMMIT: the bug that the crash test must find. */
const BEHIND_MILLISECONDS = 30

/** Answers as soon as a change was made, and commits a moment later. */
function openForgetful({ database: path }: Home): Database {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: true })
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  const execute: Tx['execute'] = <Row>({
    sql,
    parameters,
  }: {
    sql: string
    parameters: readonly unknown[]
  }) => Promise.resolve(db.prepare(sql).all(...(parameters as SQLInputValue[])) as Row[])
  const commits = new GroupCommit(lateFrame(db), execute, () => undefined)
  return {
    kind: 'sqlite',
    location: path,
    transact: (run, options = {}) => commits.transact(run, options),
    onCommit: () => () => undefined,
    async close() {
      await commits.idle()
      if (db.isTransaction) db.exec('commit')
      db.close()
    },
  }
}

function lateFrame(db: DatabaseSync): Frame {
  let late: NodeJS.Timeout | undefined
  // What was answered must stay until its COMMIT, so later groups fail on their own.
  let isInside = false
  const run = (sql: string) => () => db.exec(sql)
  return {
    begin() {
      isInside = db.isTransaction
      db.exec(isInside ? 'savepoint later' : 'begin immediate')
    },
    isBusy: () => false,
    savepoint: run('savepoint one'),
    release: run('release one'),
    rollbackToSavepoint: run('rollback to one; release one'),
    commit() {
      if (isInside) db.exec('release later')
      late ??= setTimeout(() => {
        late = undefined
        if (db.isOpen && db.isTransaction) db.exec('commit')
      }, BEHIND_MILLISECONDS)
    },
    rollback() {
      if (db.isTransaction) db.exec(isInside ? 'rollback to later; release later' : 'rollback')
    },
    isOpen: () => db.isTransaction,
  }
}

untilStopped(startDaemon({ home: findHome(), openDatabase: openForgetful }))
