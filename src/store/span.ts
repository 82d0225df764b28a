import { type Selectable, sql } from 'kysely'
import type { Span } from '../model/span.ts'
import { fromJson } from './json.ts'
import { query, queryOf, queryOne, type Tx } from './query.ts'
import type { Tables } from './schema.ts'

type Row = Selectable<Tables['skill_span']>

export const toSpan = (row: Row): Span => ({ ...row, steps: fromJson<readonly string[]>(row.steps, []) })

interface NewSpan {
  span_id: string
  skill: string
  parent_span_id: string | null
  step: string | null
  steps: string
  session_id: string
  effort_id: number | null
  now: string
}

export const insertSpan = queryOne<NewSpan, Row>((db, p) =>
  db
    .insertInto('skill_span')
    .values({
      span_id: p.span_id,
      skill: p.skill,
      parent_span_id: p.parent_span_id,
      first_step: p.step,
      last_step: p.step,
      steps: p.steps,
      session_id: p.session_id,
      effort_id: p.effort_id,
      started_at: p.now,
    })
    .returningAll(),
)

export const findSpan = queryOne<{ span_id: string }, Row>((db, p) =>
  db.selectFrom('skill_span').selectAll().where('span_id', '=', p.span_id),
)

/** Newest first, because ids sort by creation. */
export const openSpansOf = query<{ session_id: string }, Row>((db, p) =>
  db
    .selectFrom('skill_span')
    .selectAll()
    .where('session_id', '=', p.session_id)
    // Lists the wanted states, so that the index skips completed spans.
    .where('status', 'in', ['active', 'suspended'])
    .orderBy('span_id', 'desc'),
)

/** The newest span of a skill in a session, completed or not. */
export const lastSpanOf = queryOne<{ session_id: string; skill: string }, Row>((db, p) =>
  db
    .selectFrom('skill_span')
    .selectAll()
    .where('session_id', '=', p.session_id)
    .where('skill', '=', p.skill)
    .orderBy('span_id', 'desc')
    .limit(sql.lit(1)),
)

/** The skill whose span called the first span of an effort. */
export const callerOfEffort = queryOne<{ effort_id: number }, { skill: string; effort_id: number | null }>(
  (db, p) =>
    db
      .selectFrom('skill_span as own')
      .innerJoin('skill_span as above', 'above.span_id', 'own.parent_span_id')
      .select(['above.skill', 'above.effort_id'])
      .where('own.effort_id', '=', p.effort_id)
      .orderBy('own.span_id')
      .limit(sql.lit(1)),
)

/** The newest span of a skill that an effort called or resumed since a time, with the effort that it serves. */
export const lastCalled = queryOne<
  { effort_id: number; skill: string; since: string },
  { effort_id: number | null; lifecycle: string | null }
>((db, p) =>
  db
    .selectFrom('skill_span as own')
    .innerJoin('skill_span as above', 'above.span_id', 'own.parent_span_id')
    .leftJoin('efforts', 'efforts.id', 'own.effort_id')
    .select(['own.effort_id', 'efforts.lifecycle'])
    .where('above.effort_id', '=', p.effort_id)
    .where('own.skill', '=', p.skill)
    // A failure suspends the span at the very time at which the next try begins.
    .where((row) =>
      row.or([
        row('own.started_at', '>=', p.since),
        row('own.status', '=', 'active'),
        row('own.suspended_at', '>', p.since),
        row('own.completed_at', '>', p.since),
      ]),
    )
    .orderBy('own.span_id', 'desc')
    .limit(sql.lit(1)),
)

/** The same for the newest span in the scope of a sub-agent of the sessions that served the effort. */
export const lastCalledBelow = queryOne<
  { effort_id: number; skill: string; since: string },
  { effort_id: number | null; lifecycle: string | null }
>((db, p) =>
  db
    .selectFrom('skill_span as own')
    .innerJoin('sessions as scope', 'scope.native_id', 'own.session_id')
    .innerJoin('sessions as main', 'main.native_id', 'scope.scope_of')
    .leftJoin('efforts', 'efforts.id', 'own.effort_id')
    .select(['own.effort_id', 'efforts.lifecycle'])
    .where('main.effort_id', '=', p.effort_id)
    .where('own.skill', '=', p.skill)
    .where('own.started_at', '>=', p.since)
    .orderBy('own.span_id', 'desc')
    .limit(sql.lit(1)),
)

export const openSpansOfEffort = query<{ effort_id: number }, Row>((db, p) =>
  db
    .selectFrom('skill_span')
    .selectAll()
    .where('effort_id', '=', p.effort_id)
    .where('status', '<>', 'completed')
    .orderBy('span_id'),
)

type Move = { span_id: string; now: string }

export const suspendSpan = queryOne<Move, Row>((db, p) =>
  db
    .updateTable('skill_span')
    .set({ status: 'suspended', suspended_at: p.now })
    .where('span_id', '=', p.span_id)
    .where('status', '=', 'active')
    .returningAll(),
)

export const resumeSpan = queryOne<{ span_id: string }, Row>((db, p) =>
  db
    .updateTable('skill_span')
    .set({ status: 'active', suspended_at: null })
    .where('span_id', '=', p.span_id)
    .where('status', '=', 'suspended')
    .returningAll(),
)

export const completeSpan = queryOne<Move, Row>((db, p) =>
  db
    .updateTable('skill_span')
    .set({ status: 'completed', completed_at: p.now })
    .where('span_id', '=', p.span_id)
    .where('status', '<>', 'completed')
    .returningAll(),
)

export const setSpanSteps = query<{ span_id: string; step: string; steps: string }, unknown>((db, p) =>
  db
    .updateTable('skill_span')
    .set((eb) => ({
      first_step: eb.fn.coalesce('first_step', eb.val(p.step)),
      last_step: p.step,
      steps: p.steps,
    }))
    .where('span_id', '=', p.span_id),
)

export interface SpanFilter {
  readonly session_id?: string | undefined
  readonly effort_id?: number | undefined
  readonly skill?: string | undefined
  readonly project_id?: number | undefined
  readonly status?: Span['status'] | undefined
  readonly limit: number
}

export function findSpans(tx: Tx, filter: SpanFilter): Promise<readonly Row[]> {
  return queryOf(tx, (db) => {
    let rows = db.selectFrom('skill_span').selectAll()
    if (filter.session_id !== undefined) rows = rows.where('session_id', '=', filter.session_id)
    if (filter.effort_id !== undefined) rows = rows.where('effort_id', '=', filter.effort_id)
    if (filter.skill !== undefined) rows = rows.where('skill', '=', filter.skill)
    if (filter.status !== undefined) rows = rows.where('status', '=', filter.status)
    if (filter.project_id !== undefined) rows = rows.where(isInProject(filter.project_id))
    return rows.orderBy('span_id', 'desc').limit(filter.limit)
  })
}

/** A span without an effort belongs to the project of its session. */
const isInProject = (project: number) =>
  sql<boolean>`case when effort_id is null
    then exists (select 1 from sessions s join tasks t on t.dir_path = s.task_id
      where (s.native_id = skill_span.session_id or cast(s.id as text) = skill_span.session_id)
        and t.project_id = ${project})
    else exists (select 1 from efforts e join tasks t on t.dir_path = e.task_id
      where e.id = skill_span.effort_id and t.project_id = ${project}) end`
