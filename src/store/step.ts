import type { Selectable } from 'kysely'
import { query, queryOne } from './query.ts'
import type { Tables } from './schema.ts'

/** The state that says where an effort stands in its plan. */
export const PROGRESS = 'progress'

/** A state of an effort in its plan, as one JSON value. */
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

export const dropPlanState = query<{ effort_id: number; name: string }, unknown>((db, p) =>
  db.deleteFrom('plan_state').where('effort_id', '=', p.effort_id).where('name', '=', p.name),
)

/** The visited steps of an effort, in the order of their first visit. */
export const listVisits = query<{ effort_id: number }, Selectable<Tables['step_visits']>>((db, p) =>
  db.selectFrom('step_visits').selectAll().where('effort_id', '=', p.effort_id).orderBy('id'),
)

/** Started and completed are separate. */
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
        // A restarted step is open again; a repeated report keeps its times.
        started_at: eb
          .case()
          .when('excluded.attempts', '>', eb.ref('step_visits.attempts'))
          .then(eb.ref('excluded.started_at'))
          .else(eb.ref('step_visits.started_at'))
          .end(),
        completed_at: eb
          .case()
          .when('excluded.completed_at', 'is', null)
          .then(null)
          .else(eb.fn.coalesce('step_visits.completed_at', 'excluded.completed_at'))
          .end(),
        outcome: eb.ref('excluded.outcome'),
      })),
    ),
)
