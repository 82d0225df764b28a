/** Why a backup was made: once a day, by the user, or before a migration from this version. */
export type BackupLabel = 'daily' | 'manual' | `from-v${number}`

/** A backup in the list; a replaced one is what a restore moved aside. */
export interface Backup {
  readonly name: string
  readonly path: string
  readonly kind: 'daily' | 'manual' | 'migration' | 'replaced'
  readonly made_at: string
  readonly bytes: number
}

const NAME = /^engine-(\d{4}-\d\d-\d\dT)(\d\d)(\d\d)(\d\d\.\d{3}Z)-(daily|manual|from-v\d+)\.db$/
/** What versions up to 0.6 wrote beside the database. */
const OLDER = /^engine\.db\.backup-(v\d+)-(\d{4}-\d\d-\d\dT)(\d\d)(\d\d)(\d\d)(\d{3}Z)$/
const REPLACED = /^replaced-(\d{4}-\d\d-\d\dT)(\d\d)(\d\d)(\d\d\.\d{3}Z)/

/** Times without colons, because some disks do not allow them in names. */
const forName = (time: string): string => time.replaceAll(':', '')

/** The file name of a new backup. */
export const backupName = (label: BackupLabel, time: string): string => `engine-${forName(time)}-${label}.db`

/** The name of the folder for a database that a restore replaces. */
export const replacedName = (time: string): string => `replaced-${forName(time)}`

/** What the name of a backup says; undefined for other names. */
export function readBackupName(name: string): Pick<Backup, 'kind' | 'made_at'> | undefined {
  const [isNamed, day = '', hours = '', minutes = '', seconds = '', label = ''] = NAME.exec(name) ?? []
  if (isNamed !== undefined) {
    const kind = label === 'daily' || label === 'manual' ? label : 'migration'
    return { kind, made_at: `${day}${hours}:${minutes}:${seconds}` }
  }
  const [isOlder, , date, hour, minute, second, rest] = OLDER.exec(name) ?? []
  if (isOlder !== undefined)
    return { kind: 'migration', made_at: `${date}${hour}:${minute}:${second}.${rest}` }
  const [isReplaced, on, at, past, until] = REPLACED.exec(name) ?? []
  return isReplaced === undefined ? undefined : { kind: 'replaced', made_at: `${on}${at}:${past}:${until}` }
}

/** The names that a new backup makes unneeded: all but the newest, and older ones from the same version. */
export function unneededBackups(backups: readonly Backup[], keep: number): readonly string[] {
  const own = backups
    .filter(({ name }) => NAME.test(name))
    .toSorted((a, b) => b.made_at.localeCompare(a.made_at))
  const labelOf = ({ name }: Backup) => NAME.exec(name)?.[5] ?? ''
  const isRepeated = (backup: Backup, at: number) =>
    backup.kind === 'migration' && own.slice(0, at).some((newer) => labelOf(newer) === labelOf(backup))
  const repeated = new Set(own.filter(isRepeated))
  const rest = own.filter((backup) => !repeated.has(backup))
  return [...repeated, ...rest.slice(keep)].map(({ name }) => name)
}

const DAY_MILLISECONDS = 24 * 3600 * 1000

/** Whether the last backup is a day old; one from the future does not count, because the clock was wrong. */
export const isBackupDue = (backups: readonly Backup[], now: number): boolean =>
  !backups.some(({ kind, made_at }) => {
    const age = now - Date.parse(made_at)
    return kind !== 'replaced' && age >= 0 && age < DAY_MILLISECONDS
  })
