import { sql } from 'kysely'
import type { ItemState } from '../model/work/item.ts'
import { type DatabaseKind, query, queryOne } from './query.ts'

/**
 * The moment so many seconds from now, by the clock of the database: no clock of a machine grants a lease. SQLite runs
 * in the daemon, and gets its clock with each query, because equal questions are answered from memory.
 */
const serverTime = (kind: DatabaseKind, now: string, seconds: number) =>
  kind === 'postgres'
    ? sql<string>`to_char((clock_timestamp() + make_interval(secs => ${seconds}::double precision)) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, ${seconds} || ' seconds')`

export interface Lent {
  readonly fence: number
  readonly lease_until: string | null
}

/** Gives an open item to a worker, with a new fence. */
export const lendItem = queryOne<
  { effort_id: number; item: string; worker: string; seconds: number; now: string },
  Lent
>((db, p, kind) =>
  db
    .updateTable('work_items')
    .set((eb) => ({
      state: 'taken',
      worker: p.worker,
      fence: eb('fence', '+', 1),
      lease_until: serverTime(kind, p.now, p.seconds),
    }))
    .where('effort_id', '=', p.effort_id)
    .where('item', '=', p.item)
    .where('state', '=', 'open')
    .returning(['fence', 'lease_until']),
)

/** Every write of a worker carries its fence; a stale one changes nothing. */
export const renewItem = queryOne<
  { effort_id: number; item: string; fence: number; seconds: number; now: string },
  Lent
>((db, p, kind) =>
  db
    .updateTable('work_items')
    .set({ lease_until: serverTime(kind, p.now, p.seconds) })
    .where('effort_id', '=', p.effort_id)
    .where('item', '=', p.item)
    .where('state', '=', 'taken')
    .where('fence', '=', p.fence)
    .returning(['fence', 'lease_until']),
)

/** The same for the end of a try. */
export const endItem = queryOne<
  {
    effort_id: number
    item: string
    fence: number
    state: ItemState
    needs_user: number
    most_tries: number
    reason: string | null
    now: string
  },
  { item: string }
>((db, p) =>
  db
    .updateTable('work_items')
    .set({
      state: p.state,
      needs_user: p.needs_user,
      most_tries: p.most_tries,
      reason: p.reason,
      lease_until: null,
      ended_at: p.now,
    })
    .where('effort_id', '=', p.effort_id)
    .where('item', '=', p.item)
    .where('state', '=', 'taken')
    .where('fence', '=', p.fence)
    .returning('item'),
)

/** Items whose workers have not been heard of in time. */
export const expiredItems = query<
  { effort_id: number; now: string },
  { item: string; fence: number; worker: string | null }
>((db, p, kind) =>
  db
    .selectFrom('work_items')
    .select(['item', 'fence', 'worker'])
    .where('effort_id', '=', p.effort_id)
    .where('state', '=', 'taken')
    .where('lease_until', '<=', serverTime(kind, p.now, 0))
    .orderBy('position'),
)

/** The active bodies of work with such items. */
export const bodiesWithExpired = query<{ now: string }, { effort_id: number }>((db, p, kind) =>
  db
    .selectFrom('work_items')
    .innerJoin('efforts', 'efforts.id', 'work_items.effort_id')
    .select('work_items.effort_id')
    .distinct()
    .where('work_items.lease_until', '<=', serverTime(kind, p.now, 0))
    .where('efforts.lifecycle', '=', 'active')
    .orderBy('work_items.effort_id'),
)

/** The item that a worker has of a body. */
export const itemOf = queryOne<{ effort_id: number; worker: string }, { item: string }>((db, p) =>
  db
    .selectFrom('work_items')
    .select('item')
    .where('effort_id', '=', p.effort_id)
    .where('state', '=', 'taken')
    .where('worker', '=', p.worker)
    .orderBy('position')
    .limit(sql.lit(1)),
)
