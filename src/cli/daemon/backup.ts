import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { addBackup, listBackups, writeBackup } from '../../daemon/backups.ts'
import { configPath, findHome, type Home } from '../../daemon/home.ts'
import { versionIn } from '../../daemon/snapshot.ts'
import { withUserConfig } from '../../files/config.ts'
import { EngineError } from '../../model/error.ts'
import { relativeTime } from '../../model/text/time.ts'
import type { Arguments } from '../frame/args.ts'
import type { Io } from '../frame/io.ts'
import { printResult } from '../frame/show.ts'
import { table } from '../frame/table.ts'

/** Runs `holdfast backup`. */
export async function makeBackup(io: Io, { positionals: [file] }: Arguments): Promise<number> {
  const home = homeOf(io, `pg_dump --format=custom --file=holdfast.dump ${POSTGRES}`)
  if (!existsSync(home.database))
    throw new EngineError('not-found', `The database ${home.database} does not exist yet.`, {
      hint: 'holdfast daemon start',
    })
  const path = file === undefined ? undefined : resolve(io.cwd, file)
  if (path !== undefined && existsSync(path))
    throw new EngineError('conflict', `${path} exists; a backup replaces no file.`, {
      hint: 'holdfast backup NEW_FILE',
    })
  const onProgress = drawing(io, 'Copying')
  const made =
    path === undefined
      ? (await addBackup(home, 'manual', { onProgress })).path
      : await writeBackup(home, path, { onProgress }).then(() => path)
  io.draw?.('')
  const result = { path: made, name: basename(made), bytes: statSync(made).size }
  printResult(io, result, () => `Made ${made} (${size(result.bytes)}), checked and intact.`)
  return 0
}

/** Runs `holdfast backups`. */
export function showBackups(io: Io): number {
  const home = homeOf(io, `pg_dump --format=custom --file=holdfast.dump ${POSTGRES}`)
  // What cannot be read has no version.
  const rows = listBackups(home).map((one) => ({ ...one, version: versionIn(one.path, 'still') ?? null }))
  const shown = rows.map(({ name, kind, made_at, bytes, version }) => ({
    name,
    kind,
    made: relativeTime(made_at),
    size: size(bytes),
    state: version === null ? 'damaged' : '',
  }))
  printResult(io, rows, () =>
    rows.length === 0 ? 'There are no backups yet. Make one: holdfast backup' : table(io, shown),
  )
  return 0
}

/** How a shell names the database of this home. */
export const POSTGRES = '"$HOLDFAST_DATABASE_URL"'

/** The home with the settings of the user; PostgreSQL has tools of its own. */
export function homeOf({ env }: Io, instead: string): Home {
  const home = findHome(withUserConfig(env, configPath(env)))
  if (!home.isPostgres) return home
  throw new EngineError('conflict', 'The database is in PostgreSQL, which has its own tools for backups.', {
    hint: instead,
  })
}

const size = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** Draws the progress of long work, if somebody watches. */
export const drawing = (io: Io, what: string) => (share: number) =>
  io.draw?.(`${what} … ${Math.floor(share * 100)} %`)
