import { sql } from 'kysely'
import { query, queryOne } from './query.ts'
import type { Tables } from './schema.ts'

/** Vectors of one model that can be compared with each other. */
export interface Space {
  readonly id: number
  readonly identity: string
  readonly provider: string
  readonly model: string
  readonly asked_dims: number | null
  readonly dims: number
  readonly scheme: string
  readonly center: Uint8Array | null
  readonly state: Tables['spaces']['state']
}

const COLUMNS = [
  'id',
  'identity',
  'provider',
  'model',
  'asked_dims',
  'dims',
  'scheme',
  'center',
  'state',
] as const

/** All spaces, the oldest first; there are few. */
export const listSpaces = query<object, Space>((db) => db.selectFrom('spaces').select(COLUMNS).orderBy('id'))

export const insertSpace = queryOne<Omit<Space, 'id'>, Space>((db, p) =>
  db
    .insertInto('spaces')
    .values({
      identity: p.identity,
      provider: p.provider,
      model: p.model,
      asked_dims: p.asked_dims,
      dims: p.dims,
      scheme: p.scheme,
      center: p.center,
      state: p.state,
    })
    .returning(COLUMNS),
)

export const setSpaceState = query<Pick<Space, 'id' | 'state'>, unknown>((db, p) =>
  db.updateTable('spaces').set({ state: p.state }).where('id', '=', p.id),
)

/** Frees the identity of a space for another one. */
export const renameSpace = query<Pick<Space, 'id' | 'identity'>, unknown>((db, p) =>
  db.updateTable('spaces').set({ identity: p.identity }).where('id', '=', p.id),
)

export const deleteSpace = query<Pick<Space, 'id'>, unknown>((db, p) =>
  db.deleteFrom('spaces').where('id', '=', p.id),
)

/** Deletes some vectors of a space, so that no transaction is long. */
export const deleteSomeVectors = query<{ space_id: number }, { id: number }>((db, p) =>
  db
    .deleteFrom('vectors')
    .where('id', 'in', (eb) =>
      eb.selectFrom('vectors').select('id').where('space_id', '=', p.space_id).limit(sql.lit(200)),
    )
    .returning('id'),
)
