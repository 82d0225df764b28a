import { type Selectable, sql } from 'kysely'
import type { StoredFrame, SkillCall } from '../model/chain/stored.ts'
import { fromJson } from './json.ts'
import { watchChange } from './open-windows.ts'
import { locked, query, queryOf, queryOne, type Tx } from './query.ts'
import type { Tables } from './schema.ts'

type Row = Selectable<Tables['continuations']>

export const toFrame = (row: Row): StoredFrame => ({
  ...row,
  args: row.args ?? '',
  context: row.context ?? '',
  on_error: fromJson<SkillCall | null>(row.on_error, null),
})

interface NewFrame {
  chain_id: number
  project_id: number
  task_id: string | null
  session_id: string | null
  effort_id: number | null
  position: number
  skill: string
  args: string
  context: string
  status: StoredFrame['status']
  on_error: string | null
  call: StoredFrame['call']
  level: StoredFrame['level']
  reason: string | null
  parent: number | null
  started_at: string | null
  now: string
}

export const insertFrame = watchChange<NewFrame, Row>((db, p) =>
  db
    .insertInto('continuations')
    .values({
      chain_id: p.chain_id,
      project_id: p.project_id,
      task_id: p.task_id,
      session_id: p.session_id,
      effort_id: p.effort_id,
      position: p.position,
      skill: p.skill,
      args: p.args,
      context: p.context,
      status: p.status,
      on_error: p.on_error,
      call: p.call,
      level: p.level,
      reason: p.reason,
      parent: p.parent,
      started_at: p.started_at,
      created_at: p.now,
      updated_at: p.now,
    })
    .returningAll(),
)

/** A chain is named after its first frame. */
export const nameChain = queryOne<{ id: number }, Row>((db, p) =>
  db
    .updateTable('continuations')
    .set((eb) => ({ chain_id: eb.ref('id') }))
    .where('id', '=', p.id)
    .returningAll(),
)

interface FrameMove {
  id: number
  /** What it must still be, so that no frame moves twice. */
  was: StoredFrame['status']
  status: StoredFrame['status']
  position: number
  skill: string
  session_id: string | null
  task_id: string | null
  effort_id: number | null
  call: StoredFrame['call']
  reason: string | null
  asked_at: string | null
  result: string | null
  started_at: string | null
  ended_at: string | null
  now: string
}

export const moveFrame = watchChange<FrameMove, Row>((db, p) =>
  db
    .updateTable('continuations')
    .set({
      status: p.status,
      position: p.position,
      skill: p.skill,
      session_id: p.session_id,
      task_id: p.task_id,
      effort_id: p.effort_id,
      call: p.call,
      reason: p.reason,
      asked_at: p.asked_at,
      result: p.result,
      started_at: p.started_at,
      ended_at: p.ended_at,
      updated_at: p.now,
    })
    .where('id', '=', p.id)
    .where('status', '=', p.was)
    .returningAll(),
)

/** The frames of a chain in order, locked: two sessions never move the same one. */
export const lockChain = query<{ chain_id: number }, Row>((db, p, kind) =>
  locked(
    db
      .selectFrom('continuations')
      .selectAll()
      .where('chain_id', '=', p.chain_id)
      .orderBy('position')
      .orderBy('id'),
    kind,
  ),
)

/** The newest chain that a session has, with something open. */
export const openChainOf = queryOne<{ session_id: string }, { chain_id: number }>((db, p) =>
  db
    .selectFrom('continuations')
    .select('chain_id')
    .where('session_id', '=', p.session_id)
    .where('status', 'in', ['waiting', 'running'])
    .orderBy('chain_id', 'desc')
    .limit(sql.lit(1)),
)

/** The newest chain of a session that waits for somebody to resume it. */
export const parkedChainOf = queryOne<{ session_id: string }, { chain_id: number }>((db, p) =>
  db
    .selectFrom('continuations')
    .select('chain_id')
    .where('session_id', '=', p.session_id)
    .where('status', '=', 'parked')
    .orderBy('chain_id', 'desc')
    .limit(sql.lit(1)),
)

/** The frame that an effort does, if it runs. */
export const frameOfEffort = queryOne<
  { effort_id: number },
  { id: number; chain_id: number; session_id: string | null }
>((db, p) =>
  db
    .selectFrom('continuations')
    .select(['id', 'chain_id', 'session_id'])
    .where('effort_id', '=', p.effort_id)
    .where('status', '=', 'running')
    .limit(sql.lit(1)),
)

export interface ChainFilter {
  readonly project_id?: number | undefined
  readonly session_id?: string | undefined
  /** Only chains with something open or parked. */
  readonly open: boolean
  readonly limit: number
}

/** The numbers of chains, newest first. */
export function findChains(tx: Tx, filter: ChainFilter): Promise<readonly { chain_id: number }[]> {
  return queryOf(tx, (db) => {
    let rows = db.selectFrom('continuations').select('chain_id').distinct()
    if (filter.project_id !== undefined) rows = rows.where('project_id', '=', filter.project_id)
    if (filter.session_id !== undefined) rows = rows.where('session_id', '=', filter.session_id)
    if (filter.open) rows = rows.where('status', 'in', ['waiting', 'running', 'parked'])
    return rows.orderBy('chain_id', 'desc').limit(filter.limit)
  })
}

/** The chain of which an effort does or did a skill. */
export const chainOfEffort = queryOne<{ effort_id: number }, { chain_id: number }>((db, p) =>
  db
    .selectFrom('continuations')
    .select('chain_id')
    .where('effort_id', '=', p.effort_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)

/** The frame of an effort that another one replaces. */
export const replaceEffort = query<{ from: number; to: number }, unknown>((db, p) =>
  db.updateTable('continuations').set({ effort_id: p.to }).where('effort_id', '=', p.from),
)

/** A running frame whose skill a sub-agent of the session carries out gets its effort. */
export const giveEffort = queryOne<{ session_id: string; skill: string; effort_id: number }, { id: number }>(
  (db, p) =>
    db
      .updateTable('continuations')
      .set({ effort_id: p.effort_id })
      .where('session_id', '=', p.session_id)
      .where('skill', '=', p.skill)
      .where('status', '=', 'running')
      .where('effort_id', 'is', null)
      .returning('id'),
)

/** The next skill of the chain that a session has. */
export const nextInSession = queryOne<{ session_id: string }, { skill: string }>((db, p) =>
  db
    .selectFrom('continuations')
    .select('skill')
    .where('session_id', '=', p.session_id)
    .where('status', '=', 'waiting')
    .orderBy('chain_id', 'desc')
    .orderBy('position')
    .limit(sql.lit(1)),
)
