import { existsSync } from 'node:fs'
import type { Home } from '../../daemon/home.ts'
import { EngineError } from '../../model/error.ts'
import type { Reader } from '../../store/reader.ts'

/** Reads the database without the daemon, and always closes it. */
export async function withReader<T>(home: Home, work: (reader: Reader) => T | Promise<T>): Promise<T> {
  const reader = await openReader(home)
  try {
    return await work(reader)
  } finally {
    await reader.close()
  }
}

async function openReader(home: Home): Promise<Reader> {
  const { readPostgres, readSqlite } = await import('../../store/reader.ts')
  if (home.isPostgres) return await readPostgres(home.database)
  if (!existsSync(home.database))
    throw new EngineError('not-found', `The database ${home.database} does not exist yet.`, {
      hint: 'holdfast daemon start',
    })
  return readSqlite(home.database)
}
