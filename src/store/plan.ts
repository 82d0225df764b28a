import type { Selectable } from 'kysely'
import { AD_HOC_ORDINAL } from '../model/effort.ts'
import { watchChange } from './open-windows.ts'
import { query, queryOne } from './query.ts'
import type { Tables } from './schema.ts'

type Row = Selectable<Tables['plans']>
type EffortRow = Selectable<Tables['efforts']>

export const findPlan = queryOne<{ digest: string }, Row>((db, p) =>
  db.selectFrom('plans').selectAll().where('digest', '=', p.digest),
)

/** A plan is stored once, also if several efforts keep it. */
export const putPlan = query<Row, unknown>((db, p) =>
  db
    .insertInto('plans')
    .values({ digest: p.digest, plan: p.plan, definition: p.definition })
    .onConflict((oc) => oc.column('digest').doNothing()),
)

/** The unfinished efforts of a skill in a workplace; locked by the caller one by one. */
export const effortsFollowing = query<{ workplace_id: number; skill: string }, { id: number }>((db, p) =>
  db
    .selectFrom('efforts')
    .select('id')
    .where('workplace_id', '=', p.workplace_id)
    .where('skill', '=', p.skill)
    .where('lifecycle', '=', 'active')
    .where('ordinal', '>', AD_HOC_ORDINAL)
    .orderBy('id'),
)

/** The effort whose plan is in force for a skill: the newest unfinished one, or else the newest. */
export const lastFollowing = queryOne<{ workplace_id: number; skill: string }, EffortRow>((db, p) =>
  db
    .selectFrom('efforts')
    .selectAll()
    .where('workplace_id', '=', p.workplace_id)
    .where('skill', '=', p.skill)
    .where('ordinal', '>', AD_HOC_ORDINAL)
    .where('plan_digest', 'is not', null)
    // "active" sorts before "finished".
    .orderBy('lifecycle')
    .orderBy('id', 'desc')
    .limit(1),
)

/** Gives an effort another plan. */
export const setEffortPlan = watchChange<{ id: number; plan_digest: string }, unknown>((db, p) =>
  db.updateTable('efforts').set({ plan_digest: p.plan_digest }).where('id', '=', p.id),
)

/** Gives their plan to efforts that keep none yet. */
export const setMissingPlan = watchChange<
  { workplace_id: number; skill: string; plan_digest: string },
  unknown
>((db, p) =>
  db
    .updateTable('efforts')
    .set({ plan_digest: p.plan_digest })
    .where('workplace_id', '=', p.workplace_id)
    .where('skill', '=', p.skill)
    .where('lifecycle', '=', 'active')
    .where('ordinal', '>', AD_HOC_ORDINAL)
    .where('plan_digest', 'is', null),
)

/** What the sessions of an effort have not heard yet of its plan; a new line replaces one that nobody heard. */
export const putPlanNews = watchChange<{ effort_id: number; value: string; now: string }, unknown>((db, p) =>
  db
    .insertInto('plan_state')
    .values({ effort_id: p.effort_id, name: PLAN_NEWS, value: p.value, updated_at: p.now })
    .onConflict((oc) =>
      oc.columns(['effort_id', 'name']).doUpdateSet((eb) => ({
        value: eb.ref('excluded.value'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    ),
)

export const dropPlanNews = watchChange<{ effort_id: number }, unknown>((db, p) =>
  db.deleteFrom('plan_state').where('effort_id', '=', p.effort_id).where('name', '=', PLAN_NEWS),
)

/** The names of two states of an effort in its plan. */
export const PLAN_NEWS = 'plan-news'
export const PLAN_EDIT = 'plan-edit'
