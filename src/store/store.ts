import { type Clock, timestamp } from '../model/clock.ts'
import { EngineError } from '../model/error.ts'
import type { Database, TransactOptions } from './database.ts'
import { flushKeys } from './key.ts'
import { type Migration, migrations } from './migrations/index.ts'
import { fillNew } from './new-database.ts'
import { queryOf, type Tx } from './query.ts'
import { flushSessions, lockPending } from './pending.ts'
import { Volatile } from './volatile.ts'

/** The migrated database, with the volatile state in memory. */
export interface Store {
  readonly database: Database
  readonly volatile: Volatile
  transact<T>(run: (tx: Tx) => Promise<T>, options?: TransactOptions): Promise<T>
  /** Writes the volatile state; the daemon calls it twice a second. On failure it stays in memory. */
  flush(): Promise<void>
  close(): Promise<void>
}

interface StoreOptions {
  readonly clock: Clock
  /** Makes a backup of the data before it is migrated from this version. */
  readonly backUp?: ((version: number) => Promise<unknown>) | undefined
}

export async function openStore(database: Database, options: StoreOptions): Promise<Store> {
  try {
    await prepareTables(database, options)
  } catch (error) {
    await database.close()
    throw error
  }
  return storeOn(database)
}

/** Creates or migrates the tables. */
export async function prepareTables(database: Database, options: StoreOptions): Promise<void> {
  await fillNew(database, options.clock)
  await migrate(database, options)
}

/** The store of a database whose tables are prepared before the first call. */
export function storeOn(database: Database): Store {
  const volatile = new Volatile()
  const write = async () => {
    // In doubt nothing can be written any more, and the next daemon hears of live sessions soon.
    if (volatile.isEmpty() || database.files?.doubt() !== undefined) return
    volatile.written(await database.transact((tx) => flushVolatile(tx, volatile)))
  }
  // One after the other, so that a caller also waits for a flush in progress.
  let last = Promise.resolve()
  const flush = () => (last = last.catch(() => undefined).then(write))
  return {
    database,
    volatile,
    transact: (run, transactOptions) => database.transact(run, transactOptions),
    flush,
    async close() {
      await flush().finally(() => database.close())
    },
  }
}

async function flushVolatile(tx: Tx, volatile: Volatile) {
  const taken = volatile.takeForBeat(tx, await lockPending(tx, volatile.waiting()))
  await flushSessions(tx, taken.sessions)
  await flushKeys(tx, taken.keys)
  return taken
}

/** Migrates forward only, one transaction per migration, after a backup of the data. */
export async function migrate(
  database: Database,
  { clock, backUp }: StoreOptions,
  list: readonly (readonly [string, Migration])[] = migrations,
): Promise<void> {
  const version = await database.transact(currentVersion, PATIENT)
  if (version > list.length) throw newerDatabase(database.location, version, list.length)
  if (version === list.length) return
  if (version > 0) await backUp?.(version)
  for (const [index, [name, migration]] of list.entries())
    await database.transact(async (tx) => {
      if ((await currentVersion(tx)) !== index) return
      await migration.up(tx)
      const row = { version: index + 1, name, applied_at: timestamp(clock.now()) }
      await queryOf(tx, (db) => db.insertInto('migrations').values(row))
    }, PATIENT)
}

/** A large ledger takes longer than any call may, also if another machine migrates it. */
const PATIENT = { patient: true }

async function currentVersion(tx: Tx): Promise<number> {
  // Daemons of two machines may migrate at once; the lock ends with the transaction.
  if (tx.kind === 'postgres')
    await tx.execute({ sql: `select pg_advisory_xact_lock(hashtext('holdfast migrations'))`, parameters: [] })
  await tx.execute({
    sql: `create table if not exists migrations (version integer not null primary key, name text not null, applied_at text not null)`,
    parameters: [],
  })
  const rows = await queryOf(tx, (db) =>
    db.selectFrom('migrations').select((eb) => eb.fn.max('version').as('version')),
  )
  return rows[0]?.version ?? 0
}

const newerDatabase = (location: string, version: number, known: number) =>
  new EngineError(
    'newer-database',
    `${location} has schema version ${version}, but this holdfast supports versions up to ${known}; nothing was changed.`,
    { hint: 'Install the newer holdfast again: npx holdfast init, in its clone.' },
  )
