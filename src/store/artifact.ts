import { type Selectable, sql } from 'kysely'
import { query } from './query.ts'
import type { Tables } from './schema.ts'

/** The newest first. */
export const listArtifacts = query<{ effort_id: number }, Selectable<Tables['artifacts']>>((db, p) =>
  db
    .selectFrom('artifacts')
    .selectAll()
    .where('effort_id', '=', p.effort_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(MOST_LISTED)),
)

const MOST_LISTED = 100

/** Where the recorded artifacts of an effort lie. */
export const pathsOfArtifacts = query<{ effort_id: number }, { path: string | null }>((db, p) =>
  db.selectFrom('artifacts').select('path').where('effort_id', '=', p.effort_id).orderBy('id'),
)
