import { DEFAULT_LEVEL, type Level, LEVELS } from '../model/level.ts'
import { watchChange } from './open-windows.ts'
import { query, queryOne, type Tx } from './query.ts'

/** The level of projects without their own. */
export const LEVEL_SETTING = 'level'

export async function defaultLevel(tx: Tx): Promise<Level> {
  const setting = await findSetting(tx, { name: LEVEL_SETTING })
  return LEVELS.find((level) => level === setting?.value) ?? DEFAULT_LEVEL
}

/** The level that holds a project now: its own, else the usual one; a pause holds nothing. */
export const levelInForce = async (
  tx: Tx,
  own: Level | null | undefined,
  isPaused: boolean,
): Promise<Level> => (isPaused ? 'observe' : (own ?? (await defaultLevel(tx))))

const findSetting = queryOne<{ name: string }, { value: string }>((db, p) =>
  db.selectFrom('settings').select('value').where('name', '=', p.name),
)

/** Windows remember whether their project is strict. */
export const setDefaultLevel = watchChange<{ level: Level }, unknown>((db, p) =>
  db
    .insertInto('settings')
    .values({ name: LEVEL_SETTING, value: p.level })
    .onConflict((oc) => oc.column('name').doUpdateSet({ value: p.level })),
)

/** Settings that views read; written only on change, so that a start needs no commit. */
export const keepSetting = query<{ name: string; value: string }, unknown>((db, p) =>
  db
    .insertInto('settings')
    .values({ name: p.name, value: p.value })
    .onConflict((oc) =>
      oc
        .column('name')
        .doUpdateSet((eb) => ({ value: eb.ref('excluded.value') }))
        .where((eb) => eb('settings.value', '<>', eb.ref('excluded.value'))),
    ),
)
