import type { Author, Dehydration, KeptDehydration } from '../model/dehydration.ts'
import { fromJson } from './json.ts'
import { query, queryOne } from './query.ts'

interface Row {
  readonly effort_id: number
  readonly author: Author
  readonly session_id: number | null
  readonly payload: string
  readonly cut: string | null
  readonly created_at: string
}

export const toDehydration = (row: Row): KeptDehydration => ({
  ...row,
  payload: fromJson<Dehydration>(row.payload, {}),
  cut: fromJson<readonly string[]>(row.cut, []),
})

/** The last note of each author replaces the one before. */
export const putDehydration = queryOne<
  {
    effort_id: number
    author: Author
    session_id: number | null
    payload: string
    cut: string | null
    now: string
  },
  Row
>((db, p) =>
  db
    .insertInto('dehydrations')
    .values({
      effort_id: p.effort_id,
      author: p.author,
      session_id: p.session_id,
      payload: p.payload,
      cut: p.cut,
      created_at: p.now,
    })
    .onConflict((oc) =>
      oc.columns(['effort_id', 'author']).doUpdateSet((eb) => ({
        session_id: eb.ref('excluded.session_id'),
        payload: eb.ref('excluded.payload'),
        cut: eb.ref('excluded.cut'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
    .returningAll(),
)

/** Newest first; at the same moment the agent's note comes first. */
export const dehydrationsOf = query<{ effort_id: number }, Row>((db, p) =>
  db
    .selectFrom('dehydrations')
    .selectAll()
    .where('effort_id', '=', p.effort_id)
    .orderBy('created_at', 'desc')
    .orderBy('author'),
)
