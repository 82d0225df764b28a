import { sql } from 'kysely'
import type { SkillRun } from '../model/skill-run.ts'
import { query, queryOf, queryOne, type Tx } from './query.ts'

/** A run with the root of its workplace. */
export type PlacedRun = SkillRun & { readonly root: string }

/** Inserts nothing if the workplace has a run of that name. */
export const insertRun = queryOne<
  Omit<SkillRun, 'id' | 'made_at' | 'created_at'> & { now: string },
  SkillRun
>((db, p) =>
  db
    .insertInto('skill_runs')
    .values({
      project_id: p.project_id,
      workplace_id: p.workplace_id,
      effort_id: p.effort_id,
      span_id: p.span_id,
      skill: p.skill,
      args: p.args,
      name: p.name,
      created_at: p.now,
    })
    .onConflict((oc) => oc.columns(['workplace_id', 'name']).doNothing())
    .returningAll(),
)

export const setRunMade = queryOne<{ id: number; now: string }, SkillRun>((db, p) =>
  db
    .updateTable('skill_runs')
    .set({ made_at: p.now })
    .where('id', '=', p.id)
    .where('made_at', 'is', null)
    .returningAll(),
)

export const lastRunOfEffort = queryOne<{ effort_id: number }, SkillRun>((db, p) =>
  db
    .selectFrom('skill_runs')
    .selectAll()
    .where('effort_id', '=', p.effort_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)

/** For a skill without a plan, each call with other arguments is its own run. */
export const runOfSpan = queryOne<{ span_id: string; args: string }, SkillRun>((db, p) =>
  db
    .selectFrom('skill_runs')
    .selectAll()
    .where('span_id', '=', p.span_id)
    .where('args', '=', p.args)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)

export const lastRunOfSpan = queryOne<{ span_id: string }, SkillRun>((db, p) =>
  db
    .selectFrom('skill_runs')
    .selectAll()
    .where('span_id', '=', p.span_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)

/** Moves the runs to the effort that continues the work. */
export const moveRuns = query<{ from: number; to: number }, SkillRun>((db, p) =>
  db.updateTable('skill_runs').set({ effort_id: p.to }).where('effort_id', '=', p.from).returningAll(),
)

export interface RunFilter {
  readonly project_id?: number | undefined
  readonly effort_id?: number | undefined
  readonly id?: number | undefined
  readonly name?: string | undefined
  readonly skill?: string | undefined
  readonly limit: number
}

/** Newest first. */
export function listRuns(tx: Tx, filter: RunFilter): Promise<readonly PlacedRun[]> {
  return queryOf(tx, (db) => {
    let rows = db
      .selectFrom('skill_runs as r')
      .innerJoin('workplaces as w', 'w.id', 'r.workplace_id')
      .selectAll('r')
      .select('w.path as root')
    for (const field of ['project_id', 'effort_id', 'id', 'name', 'skill'] as const) {
      const wanted = filter[field]
      if (wanted !== undefined) rows = rows.where(`r.${field}`, '=', wanted)
    }
    return rows.orderBy('r.id', 'desc').limit(filter.limit)
  })
}
