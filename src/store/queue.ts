import { sql } from 'kysely'
import type { QueueItem } from '../model/queue.ts'
import { query, queryOf, queryOne, type Tx } from './query.ts'

export const insertItem = queryOne<
  { project_id: number; effort_id: number | null; kind: string; content: string; now: string },
  QueueItem
>((db, p) =>
  db
    .insertInto('queue')
    .values({
      project_id: p.project_id,
      effort_id: p.effort_id,
      kind: p.kind,
      content: p.content,
      created_at: p.now,
    })
    .returningAll(),
)

/** Whether a project already has such an item, open or resolved. */
export const findSame = queryOne<{ project_id: number; kind: string; content: string }, { id: number }>(
  (db, p) =>
    db
      .selectFrom('queue')
      .select('id')
      .where('project_id', '=', p.project_id)
      .where('kind', '=', p.kind)
      .where('content', '=', p.content)
      .limit(sql.lit(1)),
)

export const findItem = queryOne<{ id: number }, QueueItem>((db, p) =>
  db.selectFrom('queue').selectAll().where('id', '=', p.id),
)

/** The first resolution is final. */
export const resolveItem = queryOne<{ id: number; resolution: string; now: string }, QueueItem>((db, p) =>
  db
    .updateTable('queue')
    .set({ resolution: p.resolution, resolved_at: p.now })
    .where('id', '=', p.id)
    .where('resolved_at', 'is', null)
    .returningAll(),
)

/** Open items of a project for a recap, newest first. */
export const openItems = query<{ project_id: number }, QueueItem>((db, p) =>
  db
    .selectFrom('queue')
    .selectAll()
    .where('project_id', '=', p.project_id)
    .where('resolved_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(sql.lit(20)),
)

export const countOpen = queryOne<{ project_id: number }, { count: number }>((db, p) =>
  db
    .selectFrom('queue')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', p.project_id)
    .where('resolved_at', 'is', null),
)

export interface QueueFilter {
  readonly project_id?: number | undefined
  readonly effort_id?: number | undefined
  readonly kind?: string | undefined
  readonly open: boolean
  readonly limit: number
}

export function listItems(tx: Tx, filter: QueueFilter): Promise<readonly QueueItem[]> {
  return queryOf(tx, (db) => {
    let rows = db.selectFrom('queue').selectAll()
    if (filter.project_id !== undefined) rows = rows.where('project_id', '=', filter.project_id)
    if (filter.effort_id !== undefined) rows = rows.where('effort_id', '=', filter.effort_id)
    if (filter.kind !== undefined) rows = rows.where('kind', '=', filter.kind)
    rows = rows.where('resolved_at', filter.open ? 'is' : 'is not', null)
    return rows.orderBy('id', 'desc').limit(filter.limit)
  })
}
