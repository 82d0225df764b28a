import { existsSync } from 'node:fs'
import type { Home } from '../../daemon/home.ts'
import { EngineError } from '../../model/error.ts'
import type { Reader } from '../../store/reader.ts'

/** Reads the database beside the daemon, and always lets go of it. */
export async function withReader<T>(home: Home, work: (reader: Reader) => Promise<T>): Promise<T> {
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
    throw new EngineError('not-found', `There is no database yet at ${home.database}.`, {
      hint: 'holdfast daemon start',
    })
  return readSqlite(home.database)
}
