import { sql } from 'kysely'
import { query, queryOf, queryOne, type Tx } from './query.ts'

/**
 * What was forgotten, as salted digests among the settings: backups of every version have that table, so a restored
 * one still knows.
 */
const PREFIX = 'forgotten.'

/** The kinds of what can be forgotten: a session of a client, a folder with all below it, and a text. */
export type ForgottenKind = 'session' | 'folder' | 'text'

export interface ForgottenMark {
  readonly kind: ForgottenKind
  readonly digest: string
  /** Only what was said until then is forgotten. */
  readonly until: string
  /** Of a text: its length and a small number that finds candidates. */
  readonly length?: number | undefined
  readonly trace?: number | undefined
}

const nameOf = ({ kind, digest }: Pick<ForgottenMark, 'kind' | 'digest'>): string =>
  `${PREFIX}${kind}.${digest}`

/** The row of a mark, as every version of the table `settings` takes it. */
export const settingOf = (mark: ForgottenMark): { readonly name: string; readonly value: string } => {
  const { until, length, trace } = mark
  return { name: nameOf(mark), value: JSON.stringify({ until, length, trace }) }
}

const toMark = ({ name, value }: { name: string; value: string }): ForgottenMark => {
  const [kind = '', digest = ''] = name.slice(PREFIX.length).split('.')
  return { kind: kind as ForgottenKind, digest, ...(JSON.parse(value) as { until: string }) }
}

const settingNamed = queryOne<{ name: string }, { value: string }>((db, p) =>
  db.selectFrom('settings').select('value').where('name', '=', p.name),
)

/** The name of the salt of this database. */
export const SALT_SETTING = `${PREFIX}salt`

/** The salt of the digests; undefined if nothing was ever forgotten. */
export const findSalt = async (tx: Tx): Promise<string | undefined> =>
  (await settingNamed(tx, { name: SALT_SETTING }))?.value

/** The marks with these digests. */
export async function findMarks(
  tx: Tx,
  wanted: readonly Pick<ForgottenMark, 'kind' | 'digest'>[],
): Promise<readonly ForgottenMark[]> {
  if (wanted.length === 0) return []
  const rows = await queryOf(tx, (db) =>
    db.selectFrom('settings').select(['name', 'value']).where('name', 'in', wanted.map(nameOf)),
  )
  return rows.map(toMark)
}

const marksOfTexts = query<{ from: string; to: string }, { name: string; value: string }>((db, p) =>
  db.selectFrom('settings').select(['name', 'value']).where('name', '>=', p.from).where('name', '<', p.to),
)

/** The marks of all forgotten texts. */
export const forgottenTexts = async (tx: Tx): Promise<readonly ForgottenMark[]> =>
  // A slash follows the dot.
  (await marksOfTexts(tx, { from: `${PREFIX}text.`, to: `${PREFIX}text/` })).map(toMark)

/** All folders that a project has or had, on every machine. */
export const foldersOfProject = query<{ id: number }, { path: string }>((db, p) =>
  db
    .selectFrom('projects')
    .select('path')
    .where((eb) => eb.or([eb('id', '=', p.id), eb('main_id', '=', p.id)]))
    .union(db.selectFrom('workplaces').select('path').where('project_id', '=', p.id)),
)

/** The sessions of a project by the ids of their clients, without sub-agents. */
export const nativesOfProject = query<{ id: number }, { native: string }>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('tasks', 'tasks.dir_path', 'sessions.task_id')
    .select(sql<string>`sessions.native_id`.as('native'))
    .distinct()
    .where('tasks.project_id', '=', p.id)
    .where('sessions.native_id', 'is not', null)
    .where('sessions.scope_of', 'is', null),
)
