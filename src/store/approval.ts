import { type Selectable, sql } from 'kysely'
import { query, queryOne } from './query.ts'
import type { Tables } from './schema.ts'

export type Approval = Selectable<Tables['approvals']>

/** An exception from the plan, always with a reason. */
export const insertApproval = queryOne<Omit<Approval, 'id'>, Approval>((db, p) =>
  db
    .insertInto('approvals')
    .values({
      effort_id: p.effort_id,
      kind: p.kind,
      subject: p.subject,
      reason: p.reason,
      created_at: p.created_at,
      used_at: p.used_at,
    })
    .returningAll(),
)

export const listApprovals = query<{ effort_id: number }, Approval>((db, p) =>
  db.selectFrom('approvals').selectAll().where('effort_id', '=', p.effort_id).orderBy('id'),
)

/** The last approvals for a recap, newest first. */
export const lastApprovals = query<{ effort_id: number }, Pick<Approval, 'subject' | 'reason' | 'used_at'>>(
  (db, p) =>
    db
      .selectFrom('approvals')
      .select(['subject', 'reason', 'used_at'])
      .where('effort_id', '=', p.effort_id)
      .orderBy('id', 'desc')
      .limit(sql.lit(10)),
)

/** Approvals that are not used yet. */
export const openApprovals = query<{ effort_id: number; kind: Approval['kind'] }, Approval>((db, p) =>
  db
    .selectFrom('approvals')
    .selectAll()
    .where('effort_id', '=', p.effort_id)
    .where('kind', '=', p.kind)
    .where('used_at', 'is', null)
    .orderBy('id'),
)

export const markUsed = query<{ id: number; now: string }, unknown>((db, p) =>
  db.updateTable('approvals').set({ used_at: p.now }).where('id', '=', p.id),
)
