import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { damaged, mendDamage, newestBackup, restoreCommand } from '../../../daemon/damage.ts'
import { doubtFile, readDoubt } from '../../../daemon/doubt.ts'
import { clockDifference } from '../../../model/clock.ts'
import { EngineError } from '../../../model/error.ts'
import { shellWord } from '../../../model/shell/word.ts'
import { duration } from '../../../model/text/time.ts'
import { withoutPassword } from '../../../store/postgres-url.ts'
import { withReader } from '../../daemon/reader.ts'
import type { Check, Group, Problem } from '../check.ts'
import { elsewhere, homeProblems } from './home.ts'
import { awayFrom } from '../mounts.ts'
import type { Scene } from '../scene.ts'

const isThere = ({ home }: Scene): boolean => home.isPostgres || existsSync(home.database)

const answers = new WeakMap<Scene, Promise<string>>()

/** The versions of the database program and of the tables, asked once. */
function asked(scene: Scene): Promise<string> {
  const known = answers.get(scene) ?? ask(scene)
  answers.set(scene, known)
  return known
}

async function ask({ home }: Scene): Promise<string> {
  const about = home.isPostgres ? 'version()' : `'SQLite ' || sqlite_version()`
  const [row] = await withReader(home, (reader) =>
    reader.query(`select max(version) as tables, ${about} as program from migrations`),
  )
  return `${String(row?.['program']).split(' on ')[0]}, tables at version ${String(row?.['tables'])}.`
}

const isReadable = (scene: Scene): Promise<boolean> =>
  asked(scene).then(
    () => true,
    () => false,
  )

/** Damage of the SQLite database. */
export async function damageOf(scene: Scene): Promise<readonly Problem[]> {
  const { home } = scene
  if (home.isPostgres || !isThere(scene)) return []
  // Another check reports what cannot be opened.
  const damage = await withReader(home, (reader) => reader.damage()).catch(() => undefined)
  return damage === undefined ? [] : [{ detail: damaged(home, damage), fix: mendDamage(home) }]
}

/** The database of the daemon, if this shell names another one. */
async function otherOf(scene: Scene): Promise<string | undefined> {
  const { status } = await scene.reached()
  // A home has one SQLite file, whatever links lead to it.
  if (status === undefined || (status.postgres === null && !scene.home.isPostgres)) return undefined
  return status.database === nameOf(scene) ? undefined : status.database
}

const nameOf = ({ home }: Scene): string => (home.isPostgres ? withoutPassword(home.database) : home.database)

/** A daemon keeps the database that its environment named when it started. */
async function other(scene: Scene): Promise<readonly Problem[]> {
  const used = await otherOf(scene)
  if (used === undefined || (await isUnreachable(scene))) return []
  const then = scene.home.isPostgres ? 'another one, or not set,' : 'set'
  const detail = `The daemon uses ${used}, but this shell names ${nameOf(scene)}: HOLDFAST_DATABASE_URL was ${then} where the daemon was started. It must be the same for all, your client too. The fix continues with the database of this shell, and leaves the other in place.`
  return [{ detail, fix: 'holdfast daemon stop' }]
}

/** A database that no daemon has used yet has no tables, but answers. */
const isUnreachable = (scene: Scene): Promise<boolean> =>
  asked(scene).then(
    () => false,
    (error: unknown) => error instanceof EngineError && error.code === 'unavailable',
  )

/** Since when the daemon misses its server; empty if it does not, or does not run. */
async function awayOf(scene: Scene): Promise<string> {
  const since = (await scene.reached()).status?.postgres?.away_since ?? undefined
  return since === undefined
    ? ''
    : ` The daemon has had no answer for ${duration(Date.now() - Date.parse(since))}, so calls fail at once.`
}

const away = (how: 'network' | 'shared', about: Omit<Check, 'mends' | 'look'>): Check => ({
  ...about,
  mends: 'export HOLDFAST_HOME=FOLDER',
  look(scene) {
    const { home, machine } = scene
    const found = home.isPostgres ? undefined : awayFrom(machine.mounts(), home.database)
    if (found?.how !== how) return []
    const detail = `${dirname(home.database)} is on ${found.type}, where SQLite can lose data. The fix starts a new database and leaves this one in place.`
    return [{ detail, fix: elsewhere(scene) }]
  },
})

export const database: Group = {
  name: 'database',
  well: (scene) => (isThere(scene) ? asked(scene) : undefined),
  checks: [
    {
      code: 'database-unreadable',
      severity: 'broken',
      finds: 'the database does not answer',
      mends: 'the fix of the daemon, or of the PostgreSQL in HOLDFAST_DATABASE_URL',
      async look(scene) {
        if (!isThere(scene)) return []
        try {
          await asked(scene)
          return []
        } catch (error) {
          if (!(await isUnreachable(scene)) && (await otherOf(scene)) !== undefined) return []
          const said = error instanceof Error ? error.message : String(error)
          const detail = `${said}${await awayOf(scene)}`
          const [cause] = [...homeProblems(scene), ...(await damageOf(scene))]
          const hint = error instanceof EngineError ? error.hint : undefined
          return [{ detail, fix: cause?.fix ?? hint ?? 'holdfast daemon start' }]
        }
      },
    },
    {
      code: 'database-other',
      severity: 'broken',
      finds: 'the daemon uses another database than HOLDFAST_DATABASE_URL names here',
      mends: 'holdfast daemon stop',
      look: other,
    },
    {
      code: 'clock-differs',
      severity: 'warning',
      finds: 'the clock of this machine differs from that of PostgreSQL by more than five seconds',
      mends: 'timedatectl set-ntp true',
      async look(scene) {
        const ahead = (await scene.reached()).status?.postgres?.clock_ahead_ms ?? 0
        const detail = clockDifference(ahead)
        if (detail === undefined) return []
        const isMac = scene.machine.platform === 'darwin'
        return [{ detail, fix: isMac ? 'sudo sntp -sS time.apple.com' : 'timedatectl set-ntp true' }]
      },
    },
    away('network', {
      code: 'database-network',
      severity: 'broken',
      finds: 'the database is on a network file system',
    }),
    away('shared', {
      code: 'database-shared',
      severity: 'warning',
      finds: 'the database is on a file system that another system on this machine shares',
    }),
  ],
}

export const integrity: Group = {
  name: 'integrity',
  async well(scene) {
    if (scene.home.isPostgres) return 'PostgreSQL checks its own integrity.'
    return isThere(scene) && (await isReadable(scene)) ? 'The database is intact.' : undefined
  },
  checks: [
    {
      code: 'database-damaged',
      severity: 'broken',
      finds: 'the database file is damaged',
      mends:
        'holdfast restore NAME --yes; without a backup: holdfast daemon stop; mkdir FOLDER && mv DATABASE* FOLDER',
      look: damageOf,
    },
    {
      code: 'files-in-doubt',
      severity: 'broken',
      finds: 'acknowledged changes are missing, or another program changed the database',
      mends: 'rm DATABASE-doubt',
      async look(scene) {
        const { home } = scene
        if (home.isPostgres) return []
        // A start settles what stopped the last daemon.
        await scene.reached()
        const fix = `rm ${shellWord(doubtFile(home))}`
        const backup = newestBackup(home)
        const instead = backup === undefined ? '' : ` To use the last backup: ${restoreCommand(backup)}.`
        return readDoubt(home).found.map((message) => ({
          detail: `${message}${instead} The fix accepts what is there.`,
          fix,
        }))
      },
    },
  ],
}
