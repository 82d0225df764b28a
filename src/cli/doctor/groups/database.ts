import { existsSync, globSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDamage, moveDatabaseAway } from '../../../daemon/damage.ts'
import { EngineError } from '../../../model/error.ts'
import { withReader } from '../../daemon/reader.ts'
import type { Check, Group, Problem } from '../check.ts'
import { elsewhere, homeProblems } from './home.ts'
import { awayFrom } from '../mounts.ts'
import type { Scene } from '../scene.ts'

const isThere = ({ home }: Scene): boolean => home.isPostgres || existsSync(home.database)

/** Reads the versions of the database program and of the tables. */
async function asked({ home }: Scene): Promise<string> {
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

/** Damage of the SQLite database, with its backup from the last migration. */
export async function damageOf(scene: Scene): Promise<readonly Problem[]> {
  const { home } = scene
  if (home.isPostgres || !isThere(scene)) return []
  const found = await withReader(home, async (reader) => {
    const [first] = await reader.query('pragma quick_check(1)')
    const said = first?.['quick_check']
    if (said !== 'ok') return JSON.stringify(said)
    const [orphan] = await reader.query('pragma foreign_key_check')
    return orphan === undefined ? undefined : JSON.stringify(orphan)
  }).catch((error: unknown) => (isDamage(error) ? error.message : undefined))
  if (found === undefined) return []
  const copy = globSync(`${home.database}.backup-*`).toSorted().at(-1)
  const kept = copy === undefined ? '' : ` Backup from before the last migration: ${copy}.`
  return [{ detail: `The database is damaged: ${found}.${kept}`, fix: moveDatabaseAway(home) }]
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
          const detail = error instanceof Error ? error.message : String(error)
          const [cause] = [...homeProblems(scene), ...(await damageOf(scene))]
          const hint = error instanceof EngineError ? error.hint : undefined
          return [{ detail, fix: cause?.fix ?? hint ?? 'holdfast daemon start' }]
        }
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
      mends: 'holdfast daemon stop; mkdir FOLDER && mv DATABASE* FOLDER',
      look: damageOf,
    },
  ],
}
