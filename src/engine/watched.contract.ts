import type { Database } from '../store/database.ts'
import type { Store } from '../store/store.ts'

/** A transaction of a call. */
export interface Asked {
  readonly reads: boolean
  readonly statements: readonly string[]
}

/** Observes every transaction, and can make a statement fail. */
export interface Watch {
  /** The statements of each committed transaction. */
  readonly committed: string[][]
  /** Each transaction of a call, including failed ones, without flushes. */
  readonly asked: Asked[]
  /** The calls of the daemon port. */
  readonly daemon: string[]
  /** The projects whose index was brought up to date. */
  readonly indexed: number[]
  failOn: RegExp | undefined
  /** The number of open transactions. */
  underWay: number
  /** The number of commit listeners. */
  listeners: number
}

/** Flushes bypass this and go straight to the database. */
export function counted(store: Store, { asked }: Watch): Store {
  return {
    ...store,
    transact(run, options) {
      const statements: string[] = []
      asked.push({ reads: options?.reads === true, statements })
      return store.transact((tx) => {
        statements.length = 0
        return run({ ...tx, execute: (one) => (statements.push(one.sql), tx.execute(one)) })
      }, options)
    },
  }
}

/** A database that is observed, and whose statements can be made to fail. */
export function watched(database: Database, watch: Watch): Database {
  return {
    ...database,
    onCommit(listener) {
      const off = database.onCommit(listener)
      watch.listeners++
      return () => {
        watch.listeners--
        off()
      }
    },
    async transact(run, options) {
      const statements: string[] = []
      watch.underWay++
      const work = database.transact((tx) => {
        statements.length = 0
        return run({
          ...tx,
          execute(statement) {
            if (watch.failOn?.test(statement.sql) === true) throw new Error('made to fail')
            statements.push(statement.sql)
            return tx.execute(statement)
          },
        })
      }, options)
      const value = await work.finally(() => void watch.underWay--)
      watch.committed.push(statements)
      return value
    },
  }
}
