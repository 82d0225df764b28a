import { sql } from 'kysely'
import { query, queryOne } from './query.ts'

/** How far the plan of an effort has been carried out, as one JSON value. */
export const findPlanState = queryOne<{ effort_id: number; name: string }, { value: string }>((db, p) =>
  db.selectFrom('plan_state').select('value').where('effort_id', '=', p.effort_id).where('name', '=', p.name),
)

export const putPlanState = query<{ effort_id: number; name: string; value: string; now: string }, unknown>(
  (db, p) =>
    db
      .insertInto('plan_state')
      .values({ effort_id: p.effort_id, name: p.name, value: p.value, updated_at: p.now })
      .onConflict((oc) =>
        oc.columns(['effort_id', 'name']).doUpdateSet((eb) => ({
          value: eb.ref('excluded.value'),
          updated_at: eb.ref('excluded.updated_at'),
        })),
      ),
)

/** Started and completed are two facts. */
export const putVisit = query<
  {
    effort_id: number
    step: string
    attempts: number
    now: string
    completed_at: string | null
    outcome: string | null
  },
  unknown
>((db, p) =>
  db
    .insertInto('step_visits')
    .values({
      effort_id: p.effort_id,
      step: p.step,
      attempts: p.attempts,
      started_at: p.now,
      completed_at: p.completed_at,
      outcome: p.outcome,
    })
    .onConflict((oc) =>
      oc.columns(['effort_id', 'step']).doUpdateSet((eb) => ({
        attempts: eb.ref('excluded.attempts'),
        completed_at: eb.fn.coalesce('step_visits.completed_at', 'excluded.completed_at'),
        outcome: eb.ref('excluded.outcome'),
      })),
    ),
)

/** The last artifacts of an effort, newest first, as many as a recap tells. */
export const lastArtifacts = query<
  { effort_id: number },
  { readonly name: string; readonly path: string | null }
>((db, p) =>
  db
    .selectFrom('artifacts')
    .select(['name', 'path'])
    .where('effort_id', '=', p.effort_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(20)),
)
