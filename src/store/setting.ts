import { query, queryOne } from './query.ts'

export const findSetting = queryOne<{ name: string }, { value: string }>((db, p) =>
  db.selectFrom('settings').select('value').where('name', '=', p.name),
)

/** Settings that views read; written only when they change, so that a start costs no commit. */
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
