import { EngineError } from '../model/error.ts'
import type { Database } from '../store/database.ts'
import { keepSetting } from '../store/setting.ts'
import { openSqlite } from '../store/sqlite.ts'
import { openStore, type Store } from '../store/store.ts'
import { type Ballast, withBallast } from './ballast.ts'
import { clock } from './clock.ts'
import { isDamage, moveDatabaseAway } from './damage.ts'
import type { Home } from './home.ts'

export type OpenDatabase = (home: Home) => Database | Promise<Database>

interface StoreOptions {
  readonly home: Home
  readonly ballast: Ballast
  readonly open?: OpenDatabase | undefined
}

/** Opens and migrates the store of a home, and stores the settings that its views use. */
export async function openStoreOf({ home, ballast, open = openDatabase }: StoreOptions): Promise<Store> {
  const store = await openStore(withBallast(await open(home), ballast), { clock })
  const value = String(home.staleAfterSeconds)
  try {
    await store.transact((tx) => keepSetting(tx, { name: 'stale_after_seconds', value }))
    return store
  } catch (error) {
    await store.close().catch(() => undefined)
    throw error
  }
}

async function openDatabase(home: Home): Promise<Database> {
  if (!home.isPostgres) return openEmbedded(home)
  // Loaded only for PostgreSQL, because the driver is slow to load.
  const { openPostgres } = await import('../store/postgres.ts')
  return await openPostgres(home.database)
}

function openEmbedded(home: Home): Database {
  try {
    return openSqlite(home.database)
  } catch (error) {
    if (!(error instanceof EngineError && error.cause instanceof Error)) throw error
    throw new EngineError(error.code, `${home.database} cannot be used: ${error.cause.message}.`, {
      cause: error.cause,
      hint: isDamage(error.cause) ? moveDatabaseAway(home) : 'holdfast doctor',
    })
  }
}
