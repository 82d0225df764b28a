import { join } from 'node:path'
import type { Backup } from '../model/backup.ts'
import { shellWord } from '../model/shell/word.ts'
import { inOneLine } from '../model/text/line.ts'
import { listBackups } from './backups.ts'
import { freeName } from './free-name.ts'
import type { Home } from './home.ts'
import { versionIn } from './snapshot.ts'

/** The sentence for damage that SQLite found. */
export const damaged = ({ database }: Home, damage: string): string =>
  `${database} is damaged: ${inOneLine(damage)}.`

/** The newest backup that can be opened. */
export const newestBackup = (home: Home): Backup | undefined =>
  listBackups(home).find(({ kind, path }) => kind !== 'replaced' && versionIn(path, 'still') !== undefined)

/** The command that makes a home with a damaged database work again: by a backup, or with a new database. */
export function mendDamage(home: Home): string {
  const backup = newestBackup(home)
  return backup === undefined ? moveDatabaseAway(home) : restoreCommand(backup)
}

export const restoreCommand = ({ name }: Backup): string => `holdfast restore ${shellWord(name)} --yes`

/** The command that moves a database and its files away, so that the daemon creates a new one. */
function moveDatabaseAway({ folder, database }: Home): string {
  const away = shellWord(freeName(join(folder, 'engine'), 'damaged'))
  return `holdfast daemon stop; mkdir ${away} && mv ${shellWord(database)}* ${away}`
}
