import { existsSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFoldersSync, place, sync } from '../files/place.ts'
import {
  type Backup,
  type BackupLabel,
  backupName,
  readBackupName,
  unneededBackups,
} from '../model/backup.ts'
import { timestamp } from '../model/clock.ts'
import { EngineError } from '../model/error.ts'
import { clock } from './clock.ts'
import type { Home } from './home.ts'
import { copyDatabase, damageOf, type OnProgress } from './snapshot.ts'
import { notWritten } from './write-whole.ts'

/** What must stay free, so that a backup never fills the disk. */
const ROOM_BYTES = 67_108_864

interface Making {
  readonly onProgress?: OnProgress | undefined
  readonly signal?: AbortSignal | undefined
}

/** Adds a backup to the folder of the home, and removes those that are no longer needed. */
export async function addBackup(home: Home, label: BackupLabel, making: Making = {}): Promise<Backup> {
  prepareFolder(home)
  const name = backupName(label, timestamp(clock.now()))
  await writeBackup(home, join(home.backups, name), making)
  const all = listBackups(home)
  for (const unneeded of unneededBackups(all, home.keepBackups))
    // Somebody may have opened it, which makes a log.
    for (const ending of ['', '-wal', '-shm'])
      await rm(join(home.backups, `${unneeded}${ending}`), { force: true })
  const made = all.find((backup) => backup.name === name)
  if (made === undefined) throw new Error(`The backup ${name} vanished.`)
  return made
}

/** Writes a checked copy of the database; readers see all of it or none. */
export async function writeBackup(home: Home, path: string, making: Making = {}): Promise<void> {
  try {
    checkRoom(home.database, dirname(path))
    await place(path, async (fresh) => {
      await writeFile(fresh, '', { mode: 0o600, flag: 'wx' })
      await copyDatabase({ from: home.database, state: 'live', to: fresh, ...making })
      const damage = await damageOf(fresh, making.signal)
      if (damage !== undefined)
        throw new EngineError('unavailable', `${home.database} has no intact copy: ${damage}.`, {
          hint: 'holdfast doctor',
        })
      await sync(fresh)
    })
    await sync(dirname(path))
  } catch (error) {
    if (error instanceof EngineError || making.signal?.aborted === true) throw error
    throw notWritten(path, error, 'holdfast doctor')
  }
}

/** Refuses a copy that the disk may not hold. */
export function checkRoom(database: string, folder: string): void {
  const [{ bavail, bsize }, needed] = [statfsSync(folder), sizeOf(database)]
  if (bavail * bsize >= needed + ROOM_BYTES) return
  throw new EngineError(
    'storage-full',
    `The disk of ${folder} has no room for a copy of the database (${Math.ceil(needed / 2 ** 20)} MiB).`,
    { hint: 'Free some space and run this again.' },
  )
}

/** The bytes of a database with its log. */
const sizeOf = (database: string): number =>
  [database, `${database}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )

/** Makes the folder, and removes what killed processes left. */
function prepareFolder(home: Home): void {
  makeFoldersSync(home.backups, 0o700)
  removeUnfinishedCopies(home)
}

const UNFINISHED = /\.holdfast-(\d+)-[0-9a-f]+(?:-journal|-wal|-shm)?$/

/** Removes unfinished copies whose process has ended. */
export function removeUnfinishedCopies({ folder, backups }: Home): void {
  for (const parent of [folder, backups])
    for (const name of namesIn(parent)) {
      const [, pid] = UNFINISHED.exec(name) ?? []
      if (pid !== undefined && name.startsWith('engine') && !isAlive(Number(pid)))
        rmSync(join(parent, name), { force: true })
    }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** All backups of a home, newest first; those of older versions lie beside the database. */
export function listBackups({ folder, backups }: Home): readonly Backup[] {
  return [backups, folder]
    .flatMap((parent) => namesIn(parent).flatMap((name) => backupAt(join(parent, name), name)))
    .toSorted((a, b) => b.made_at.localeCompare(a.made_at))
}

function backupAt(path: string, name: string): readonly Backup[] {
  const known = readBackupName(name)
  if (known === undefined) return []
  const file = known.kind === 'replaced' ? join(path, 'engine.db') : path
  return existsSync(file) ? [{ name, path: file, ...known, bytes: sizeOf(file) }] : []
}
