import { EngineError } from '../model/error.ts'
import { isDamage } from '../store/damage.ts'
import type { Database } from '../store/database.ts'
import { keepSetting } from '../store/setting.ts'
import { openSqlite } from '../store/sqlite.ts'
import { prepareTables, type Store, storeOn } from '../store/store.ts'
import { addBackup } from './backups.ts'
import { type Ballast, withBallast } from './ballast.ts'
import { storeClock } from './clock.ts'
import { mendDamage } from './damage.ts'
import { examine, lookAtFiles, settle } from './examine.ts'
import { filesOf } from './files-of.ts'
import type { Home } from './home.ts'
import type { Log } from './log.ts'
import { settleDatabase } from './restore.ts'

export type OpenDatabase = (home: Home) => Database | Promise<Database>

interface StoreOptions {
  readonly home: Home
  readonly log: Log
  readonly ballast: Ballast
  readonly open?: OpenDatabase | undefined
  /** Serves also without its server, which it prepares as soon as it can: nobody else would serve. */
  readonly mayWait: boolean
}

/** Opens and migrates the store of a home, and stores the settings that its views use. */
export async function openStoreOf(options: StoreOptions): Promise<Store> {
  const { home, log, ballast, open = openDatabase, mayWait } = options
  if (!home.isPostgres) settleDatabase(home)
  // PostgreSQL has backups of its own.
  const backUp = home.isPostgres ? undefined : (version: number) => addBackup(home, `from-v${version}`)
  const found = lookAtFiles(home)
  const opened = await open(home)
  examine(home, opened, found)
  const database = withBallast(opened, ballast)
  const { server } = database
  const store = storeOn(database)
  const prepare = async () => {
    await server?.probe()
    await prepareTables(database, { clock: storeClock(database), backUp })
    const setting = { name: 'stale_after_seconds', value: String(home.staleAfterSeconds) }
    await store.transact((tx) => keepSetting(tx, setting), { patient: true })
    await settle({ home, log, store, found })
  }
  try {
    await prepare()
  } catch (error) {
    const isAway = error instanceof EngineError && error.code === 'unavailable'
    if (server === undefined || !mayWait || !isAway) {
      await store.close().catch(() => undefined)
      throw error
    }
    server.breaker.openUntil(prepare)
  }
  return store
}

async function openDatabase(home: Home): Promise<Database> {
  if (!home.isPostgres) return openEmbedded(home)
  // Loaded only for PostgreSQL, because the driver is slow to load.
  const { postgresAt } = await import('../store/postgres.ts')
  return postgresAt(home.database)
}

function openEmbedded(home: Home): Database {
  try {
    return openSqlite(home.database, filesOf(home))
  } catch (error) {
    if (!(error instanceof EngineError && error.cause instanceof Error)) throw error
    throw new EngineError(error.code, `${home.database} cannot be used: ${error.cause.message}.`, {
      cause: error.cause,
      hint: isDamage(error.cause) ? mendDamage(home) : 'holdfast doctor',
    })
  }
}
