import { sql } from 'kysely'
import { query } from './query.ts'

export interface PhaseEntry {
  readonly id: number
  readonly effort_id: number
  readonly phase_label: string
  readonly proof: string | null
  readonly created_at: string
}

export const insertPhase = query<
  { effort_id: number; phase_label: string; proof: string | null; now: string },
  unknown
>((db, p) =>
  db
    .insertInto('phase_history')
    .values({ effort_id: p.effort_id, phase_label: p.phase_label, proof: p.proof, created_at: p.now }),
)

export const listPhases = query<{ effort_id: number }, PhaseEntry>((db, p) =>
  db.selectFrom('phase_history').selectAll().where('effort_id', '=', p.effort_id).orderBy('id'),
)

/** An escape from the plan, which is never without its reason. */
export const insertApproval = query<
  { effort_id: number; kind: string; subject: string; reason: string; now: string },
  unknown
>((db, p) =>
  db.insertInto('approvals').values({
    effort_id: p.effort_id,
    kind: p.kind,
    subject: p.subject,
    reason: p.reason,
    created_at: p.now,
  }),
)

/** The last escapes, newest first, as many as a recap tells. */
export const approvalsOf = query<
  { effort_id: number },
  { readonly subject: string; readonly reason: string }
>((db, p) =>
  db
    .selectFrom('approvals')
    .select(['subject', 'reason'])
    .where('effort_id', '=', p.effort_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(10)),
)
