import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { place, sync, syncSync } from '../files/place.ts'
import { replacedName } from '../model/backup.ts'
import { timestamp } from '../model/clock.ts'
import { EngineError } from '../model/error.ts'
import { inOneLine } from '../model/text/line.ts'
// The migrations themselves would slow every command.
import known from '../store/schema-version.json' with { type: 'json' }
import { checkRoom, removeUnfinishedCopies } from './backups.ts'
import { clock } from './clock.ts'
import { freeName } from './free-name.ts'
import type { Home } from './home.ts'
import { copyDatabase, damageOf, type OnProgress, versionIn } from './snapshot.ts'

/** The new database, complete, with the name of the folder for the old one. */
const READY = /^engine\.db\.restored-(replaced-[^.]+\.\d{3}Z)$/

/** Refuses a file that is damaged, not ours, or newer than this program. */
export async function checkBackup(path: string): Promise<void> {
  const damage = await damageOf(path)
  if (damage !== undefined)
    throw new EngineError('conflict', `${path} is damaged: ${inOneLine(damage)}. Nothing was changed.`, {
      hint: 'holdfast backups',
    })
  const version = versionIn(path, 'still') ?? 0
  if (version > known.version)
    throw new EngineError(
      'newer-database',
      `${path} has schema version ${version}, but this holdfast supports versions up to ${known.version}. Nothing was changed.`,
      { hint: 'holdfast backups' },
    )
}

/** Puts a backup in the place of the database; only for the holder of the lock. Returns what it replaced. */
export async function restoreBackup(
  home: Home,
  path: string,
  onProgress?: OnProgress,
): Promise<string | undefined> {
  settleDatabase(home)
  checkRoom(path, home.folder)
  const ready = join(home.folder, `engine.db.restored-${replacedName(timestamp(clock.now()))}`)
  await place(ready, async (fresh) => {
    await writeFile(fresh, '', { mode: 0o600, flag: 'wx' })
    await copyDatabase({ from: path, state: 'still', to: fresh, onProgress })
    await checkBackup(fresh)
    await sync(fresh)
  })
  // From here on, every start puts the new one in place.
  await sync(home.folder)
  return settleDatabase(home)
}

/**
 * Ends a restore that was killed, and removes unfinished copies; only for the holder of the lock. Returns what the
 * restore replaced.
 */
export function settleDatabase(home: Home): string | undefined {
  removeUnfinishedCopies(home)
  const [name, aside] = readdirSync(home.folder).flatMap((one) => READY.exec(one) ?? [])
  if (name === undefined || aside === undefined) return undefined
  const set = moveAside(home, aside)
  renameSync(join(home.folder, name), home.database)
  syncSync(home.folder)
  return set
}

/** Moves the database with its log and what is known about it, because the log of one would damage another. */
function moveAside(home: Home, name: string): string | undefined {
  const own = /^engine\.db(-.+)?$/
  const files = readdirSync(home.folder).flatMap((one) =>
    own.test(one) ? [one.slice('engine.db'.length)] : [],
  )
  if (files.length === 0) return undefined
  mkdirSync(home.backups, { recursive: true, mode: 0o700 })
  const wanted = join(home.backups, name)
  const isTaken = files.some((ending) => existsSync(join(wanted, `engine.db${ending}`)))
  const set = isTaken ? freeName(wanted, 'more') : wanted
  mkdirSync(set, { recursive: true, mode: 0o700 })
  for (const ending of files) renameSync(`${home.database}${ending}`, join(set, `engine.db${ending}`))
  for (const folder of [set, home.backups, home.folder]) syncSync(folder)
  return set
}
