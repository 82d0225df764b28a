import type { Author, Dehydration, KeptDehydration } from '../model/dehydration.ts'
import { AD_HOC_ORDINAL } from '../model/effort.ts'
import { fromJson } from './json.ts'
import { query, queryOne } from './query.ts'

interface Row {
  readonly effort_id: number
  readonly author: Author
  readonly session_id: number | null
  readonly payload: string
  readonly cut: string | null
  readonly created_at: string
  /** Whose note of an ad-hoc effort it is; empty for other efforts. */
  readonly native_id: string
}

export const toDehydration = (row: Row): KeptDehydration => ({
  effort_id: row.effort_id,
  author: row.author,
  session_id: row.session_id,
  created_at: row.created_at,
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
    native_id: string
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
      native_id: p.native_id,
      created_at: p.now,
    })
    .onConflict((oc) =>
      oc.columns(['effort_id', 'author', 'native_id']).doUpdateSet((eb) => ({
        session_id: eb.ref('excluded.session_id'),
        payload: eb.ref('excluded.payload'),
        cut: eb.ref('excluded.cut'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
    .returningAll(),
)

/** Those that a client session may hear: without a skill, windows share an effort but not their notes. */
export const dehydrationsFor = query<{ effort_id: number; native_id: string | null }, Row>((db, p) =>
  db
    .selectFrom('dehydrations')
    .innerJoin('efforts', 'efforts.id', 'dehydrations.effort_id')
    .leftJoin('sessions', 'sessions.id', 'dehydrations.session_id')
    .selectAll('dehydrations')
    .where('dehydrations.effort_id', '=', p.effort_id)
    .where((eb) =>
      eb.or([eb('efforts.ordinal', '<>', AD_HOC_ORDINAL), eb('sessions.native_id', '=', p.native_id)]),
    )
    .orderBy('dehydrations.created_at', 'desc')
    .orderBy('dehydrations.author'),
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
