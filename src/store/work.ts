import { type Selectable, sql } from 'kysely'
import { type ItemState, MOST_BLOCKERS } from '../model/work/item.ts'
import type { Tried } from '../model/work/plan.ts'
import { query, queryOf, queryOne, type Tx } from './query.ts'
import type { Tables } from './schema.ts'

export type WorkRow = Selectable<Tables['work_items']>

/** What the runner needs of an item, with its visit. */
export interface TriedRow extends Pick<
  WorkRow,
  'item' | 'title' | 'most_tries' | 'needs_user' | 'reason' | 'blocker' | 'state' | 'fence'
> {
  readonly attempts: number | null
  readonly outcome: string | null
}

export const insertBody = query<{ effort_id: number; title: string; now: string }, unknown>((db, p) =>
  db.insertInto('work_bodies').values({ effort_id: p.effort_id, title: p.title, created_at: p.now }),
)

export const findBody = queryOne<{ effort_id: number }, Selectable<Tables['work_bodies']>>((db, p) =>
  db.selectFrom('work_bodies').selectAll().where('effort_id', '=', p.effort_id),
)

export const setLast = query<{ effort_id: number; position: number; number: number }, unknown>((db, p) =>
  db
    .updateTable('work_bodies')
    .set({ last_position: p.position, last_number: p.number })
    .where('effort_id', '=', p.effort_id),
)

/** The active bodies of work of a project, newest first. */
export const activeBodies = query<{ project_id: number }, { effort_id: number; title: string }>((db, p) =>
  db
    .selectFrom('work_bodies')
    .innerJoin('efforts', 'efforts.id', 'work_bodies.effort_id')
    .innerJoin('tasks', 'tasks.dir_path', 'efforts.task_id')
    .select(['work_bodies.effort_id', 'work_bodies.title'])
    .where('tasks.project_id', '=', p.project_id)
    .where('efforts.lifecycle', '=', 'active')
    .orderBy('work_bodies.effort_id', 'desc')
    .limit(sql.lit(MOST_NAMED)),
)

export const newestBody = queryOne<{ project_id: number }, { effort_id: number }>((db, p) =>
  db
    .selectFrom('work_bodies')
    .innerJoin('efforts', 'efforts.id', 'work_bodies.effort_id')
    .innerJoin('tasks', 'tasks.dir_path', 'efforts.task_id')
    .select('work_bodies.effort_id')
    .where('tasks.project_id', '=', p.project_id)
    .orderBy('work_bodies.effort_id', 'desc')
    .limit(sql.lit(1)),
)

const MOST_NAMED = 20
export type NewItem = Omit<WorkRow, 'needs_user' | 'reason' | 'worker' | 'fence' | 'lease_until' | 'ended_at'>

export const insertWorkItem = query<NewItem, unknown>((db, p) =>
  db.insertInto('work_items').values({
    effort_id: p.effort_id,
    item: p.item,
    position: p.position,
    title: p.title,
    prompt: p.prompt,
    skill: p.skill,
    phase: p.phase,
    files: p.files,
    produces: p.produces,
    most_tries: p.most_tries,
    model: p.model,
    proof: p.proof,
    state: p.state,
    blocker: p.blocker,
    created_at: p.created_at,
  }),
)

export const insertBlocker = query<Tables['work_blockers'], unknown>((db, p) =>
  db.insertInto('work_blockers').values({ effort_id: p.effort_id, item: p.item, blocker: p.blocker }),
)

export const findWorkItem = queryOne<{ effort_id: number; item: string }, WorkRow>((db, p) =>
  db.selectFrom('work_items').selectAll().where('effort_id', '=', p.effort_id).where('item', '=', p.item),
)

const TRIED = [
  'work_items.item',
  'work_items.title',
  'work_items.most_tries',
  'work_items.needs_user',
  'work_items.reason',
  'work_items.blocker',
  'work_items.state',
  'work_items.fence',
  'step_visits.attempts',
  'step_visits.outcome',
] as const

export const triedItem = queryOne<{ effort_id: number; item: string }, TriedRow>((db, p) =>
  db
    .selectFrom('work_items')
    .leftJoin('step_visits', (join) =>
      join
        .onRef('step_visits.effort_id', '=', 'work_items.effort_id')
        .onRef('step_visits.step', '=', 'work_items.item'),
    )
    .select(TRIED)
    .where('work_items.effort_id', '=', p.effort_id)
    .where('work_items.item', '=', p.item),
)

export const triedItems = query<{ effort_id: number }, TriedRow>((db, p) =>
  db
    .selectFrom('work_items')
    .leftJoin('step_visits', (join) =>
      join
        .onRef('step_visits.effort_id', '=', 'work_items.effort_id')
        .onRef('step_visits.step', '=', 'work_items.item'),
    )
    .select(TRIED)
    .where('work_items.effort_id', '=', p.effort_id)
    .orderBy('work_items.position'),
)

/** What an item waits for. */
export const blockersOf = query<{ effort_id: number; item: string }, { blocker: string }>((db, p) =>
  db
    .selectFrom('work_blockers')
    .select('blocker')
    .where('effort_id', '=', p.effort_id)
    .where('item', '=', p.item)
    .orderBy('blocker')
    .limit(sql.lit(MOST_BLOCKERS)),
)

/** What waits for an item. */
export const waitingFor = query<{ effort_id: number; blocker: string }, { item: string }>((db, p) =>
  db
    .selectFrom('work_blockers')
    .select('item')
    .where('effort_id', '=', p.effort_id)
    .where('blocker', '=', p.blocker)
    .orderBy('item'),
)

export const allBlockers = query<{ effort_id: number }, { item: string; blocker: string }>((db, p) =>
  db.selectFrom('work_blockers').select(['item', 'blocker']).where('effort_id', '=', p.effort_id),
)

/** The items that name results, by which others find them. */
export const producingItems = query<{ effort_id: number }, { item: string; produces: string | null }>(
  (db, p) =>
    db
      .selectFrom('work_items')
      .select(['item', 'produces'])
      .where('effort_id', '=', p.effort_id)
      .where('produces', 'is not', null),
)

export const firstOpen = queryOne<{ effort_id: number }, { item: string }>((db, p) =>
  db
    .selectFrom('work_items')
    .select('item')
    .where('effort_id', '=', p.effort_id)
    .where('state', '=', 'open')
    .orderBy('position')
    .limit(sql.lit(1)),
)

/** Any item in a state; without one, nothing of the body is there. */
export const anyIn = queryOne<{ effort_id: number; state: ItemState }, { item: string }>((db, p) =>
  db
    .selectFrom('work_items')
    .select('item')
    .where('effort_id', '=', p.effort_id)
    .where('state', '=', p.state)
    .limit(sql.lit(1)),
)

/** Any item that is not done. */
export const unfinishedItem = queryOne<{ effort_id: number }, { item: string }>((db, p) =>
  db
    .selectFrom('work_items')
    .select('item')
    .where('effort_id', '=', p.effort_id)
    .where('state', '<>', 'done')
    .limit(sql.lit(1)),
)

export const countStates = query<{ effort_id: number }, { state: ItemState; count: number }>((db, p) =>
  db
    .selectFrom('work_items')
    .select('state')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('effort_id', '=', p.effort_id)
    .groupBy('state'),
)

export function listWorkItems(
  tx: Tx,
  p: {
    readonly effort_id: number
    readonly states?: readonly ItemState[] | undefined
    readonly limit: number
  },
): Promise<readonly WorkRow[]> {
  return queryOf(tx, (db) => {
    let rows = db.selectFrom('work_items').selectAll().where('effort_id', '=', p.effort_id)
    if (p.states !== undefined) rows = rows.where('state', 'in', p.states)
    return rows.orderBy('position').limit(p.limit)
  })
}

/** Stores where an item stands that nobody has taken. */
export const setStanding = query<
  { effort_id: number; item: string; state: ItemState; reason: string | null; blocker: string | null },
  unknown
>((db, p) =>
  db
    .updateTable('work_items')
    .set({ state: p.state, reason: p.reason, blocker: p.blocker, lease_until: null })
    .where('effort_id', '=', p.effort_id)
    .where('item', '=', p.item),
)

/** Lets an item be tried again because the user says so. */
export const allowAgain = query<{ effort_id: number; item: string; most_tries: number }, unknown>((db, p) =>
  db
    .updateTable('work_items')
    .set({ most_tries: p.most_tries, needs_user: 0 })
    .where('effort_id', '=', p.effort_id)
    .where('item', '=', p.item),
)

/** An item as the runner sees it. */
export const toTried = (row: TriedRow, blockedBy: readonly string[]): Tried => ({
  item: row.item,
  title: row.title,
  blockedBy,
  limit: row.most_tries,
  needsUser: row.needs_user === 1,
  visit:
    row.attempts === null
      ? undefined
      : {
          attempts: row.attempts,
          ...(row.outcome !== null && { outcome: row.outcome }),
          ...(row.reason !== null && { failed: row.reason }),
        },
})
