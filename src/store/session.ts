import { type Selectable, sql } from 'kysely'
import type { OpenCall } from '../model/open-call.ts'
import type { EndedReason, Session } from '../model/session.ts'
import { fromJson } from './json.ts'
import { windowChange } from './open-windows.ts'
import { locked, query, queryOf, queryOne, type Tx } from './query.ts'
import type { Tables } from './schema.ts'

export const SESSION_COLUMNS = [
  'id',
  'task_id',
  'effort_id',
  'prev_session_id',
  'pid',
  'heartbeat_counter',
  'last_heartbeat',
  'context_usage',
  'loaded_files',
  'changed_files',
  'todos',
  'dehydration_payload',
  'native_id',
  'client',
  'agent_id',
  'created_at',
  'ended_at',
  'ended_reason',
  'open_calls',
  'context_told',
  'told_directives',
  'lost_efforts',
  'scope_of',
  'workplace_id',
] as const

export type SessionRow = Pick<Selectable<Tables['sessions']>, (typeof SESSION_COLUMNS)[number]>
type Row = SessionRow

export const toSession = (row: Row): Session => ({
  ...row,
  loaded_files: fromJson<readonly string[]>(row.loaded_files, []),
  changed_files: fromJson<readonly string[]>(row.changed_files, []),
  todos: fromJson<Session['todos']>(row.todos, []),
  dehydration_payload: fromJson<unknown>(row.dehydration_payload, null),
  open_calls: fromJson<readonly OpenCall[]>(row.open_calls, []),
  told_directives: fromJson<Session['told_directives']>(row.told_directives, []),
  lost_efforts: fromJson<readonly number[]>(row.lost_efforts, []),
})

interface NewSession {
  task_id: string
  effort_id: number
  prev_session_id: number | null
  pid: number | null
  native_id: string | null
  client: string | null
  agent_id: string | null
  workplace_id: number
  open_calls: string | null
  loaded_files: string | null
  told_directives: string | null
  scope_of: string | null
  now: string
}

export const insertSession = queryOne<NewSession, Row>((db, p) =>
  db
    .insertInto('sessions')
    .values({
      task_id: p.task_id,
      effort_id: p.effort_id,
      prev_session_id: p.prev_session_id,
      pid: p.pid,
      native_id: p.native_id,
      client: p.client,
      agent_id: p.agent_id,
      workplace_id: p.workplace_id,
      open_calls: p.open_calls,
      loaded_files: p.loaded_files,
      told_directives: p.told_directives,
      scope_of: p.scope_of,
      last_heartbeat: p.now,
      created_at: p.now,
    })
    .returning(SESSION_COLUMNS),
)

export const findSession = queryOne<{ id: number }, Row>((db, p) =>
  db.selectFrom('sessions').select(SESSION_COLUMNS).where('id', '=', p.id),
)

export const findOpenByNative = queryOne<{ native_id: string }, Row>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('native_id', '=', p.native_id)
    .where('ended_at', 'is', null)
    .orderBy('id', 'desc')
    // A literal, because SQLite prepares the statement again for each bound limit.
    .limit(sql.lit(1)),
)

/**
 * Locks a window, because hooks of one session may arrive at once. Without a join, because after a lock wait only
 * the locked row is read again.
 */
export const lockOpenByNative = queryOne<{ native_id: string }, Row>((db, p, kind) =>
  locked(
    db
      .selectFrom('sessions')
      .select(SESSION_COLUMNS)
      .where('native_id', '=', p.native_id)
      .where('ended_at', 'is', null),
    kind,
  ),
)

/** The last window of a client session, open or ended. */
export const findLastByNative = queryOne<{ native_id: string }, Row>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('native_id', '=', p.native_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)

/** The last window that served an effort, open or ended. */
export const newestSessionOf = queryOne<{ effort_id: number }, Row>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('effort_id', '=', p.effort_id)
    // It may have a newer id than sessions that are over later.
    .where('imported_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)

/** The newest open window that serves an effort. */
export const newestOpenOf = queryOne<{ effort_id: number }, Row>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('effort_id', '=', p.effort_id)
    .where('ended_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)

/** The last windows that served an effort, newest first. */
export const lastWindowsOfEffort = query<{ effort_id: number }, Row>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('effort_id', '=', p.effort_id)
    // It may have a newer id than sessions that are over later.
    .where('imported_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(sql.lit(10)),
)

/** The last windows of a client session, newest first. */
export const lastWindowsOfNative = query<{ native_id: string }, Row>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('native_id', '=', p.native_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(10)),
)

/** The open windows of a session's sub-agents. */
export const openScopesOf = query<{ scope_of: string }, Row>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('scope_of', '=', p.scope_of)
    .where('ended_at', 'is', null)
    .orderBy('id'),
)

/** The open windows of a project; joined by efforts, because ended windows may be many. */
export const openSessionsIn = query<{ project_id: number }, Row>((db, p) =>
  db
    .selectFrom('tasks')
    .innerJoin('efforts', 'efforts.task_id', 'tasks.dir_path')
    .innerJoin('sessions', 'sessions.effort_id', 'efforts.id')
    .select(SESSION_COLUMNS.map((column) => `sessions.${column}` as const))
    .where('tasks.project_id', '=', p.project_id)
    .where('sessions.ended_at', 'is', null)
    .orderBy('sessions.id', 'desc'),
)

export const newestOpenOfAgent = queryOne<{ agent_id: string }, Row>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('agent_id', '=', p.agent_id)
    .where('ended_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)

export const anyOpenSession = queryOne<object, { id: number }>((db) =>
  db.selectFrom('sessions').select('id').where('ended_at', 'is', null).limit(sql.lit(1)),
)

/** The newest open windows of clients without an agent. */
export const openWithoutAgent = query<object, Row>((db) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('agent_id', 'is', null)
    .where('ended_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(sql.lit(1000)),
)

export const findOpenOfAgent = query<{ agent_id: string }, Row>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('agent_id', '=', p.agent_id)
    .where('ended_at', 'is', null),
)

/** A session that switches its effort keeps its context window. */
export const moveSession = windowChange<
  { id: number; task_id: string; effort_id: number; workplace_id: number; agent_id: string | null },
  Row
>((db, { id, task_id, effort_id, workplace_id, agent_id }) =>
  db
    .updateTable('sessions')
    .set({ task_id, effort_id, workplace_id, agent_id })
    .where('id', '=', id)
    .returning(SESSION_COLUMNS),
)

export const setSessionPlace = windowChange<{ id: number; workplace_id: number }, Row>((db, p) =>
  db
    .updateTable('sessions')
    .set({ workplace_id: p.workplace_id })
    .where('id', '=', p.id)
    .returning(SESSION_COLUMNS),
)

export const endSession = windowChange<{ id: number; reason: EndedReason; now: string }, Row>((db, p) =>
  db
    .updateTable('sessions')
    .set({ ended_at: p.now, ended_reason: p.reason })
    .where('id', '=', p.id)
    .where('ended_at', 'is', null)
    .returning(SESSION_COLUMNS),
)

/** Keeps the first payload, so that a repeated finish cannot clear it. */
export const keepDehydration = windowChange<{ id: number; payload: string }, unknown>((db, p) =>
  db
    .updateTable('sessions')
    .set({ dehydration_payload: p.payload })
    .where('id', '=', p.id)
    .where('dehydration_payload', 'is', null),
)

export const openSessionsOf = query<{ effort_id: number }, { id: number }>((db, p) =>
  db
    .selectFrom('sessions')
    .select('id')
    .where('effort_id', '=', p.effort_id)
    .where('ended_at', 'is', null)
    // The lock order for several rows.
    .orderBy('id'),
)

export const resetHeartbeat = windowChange<{ id: number; now: string }, unknown>((db, p) =>
  db
    .updateTable('sessions')
    .set({ heartbeat_counter: 0, last_heartbeat: p.now, stale_at: null })
    .where('id', '=', p.id),
)

export interface SessionFilter {
  readonly session_id?: number | undefined
  readonly task_id?: string | undefined
  readonly effort_id?: number | undefined
  readonly agent_id?: string | undefined
  readonly native_id?: string | undefined
  readonly open?: boolean | undefined
  readonly limit: number
}

export function findSessions(tx: Tx, filter: SessionFilter): Promise<readonly Row[]> {
  return queryOf(tx, (db) => {
    let rows = db.selectFrom('sessions').select(SESSION_COLUMNS)
    if (filter.session_id !== undefined) rows = rows.where('id', '=', filter.session_id)
    if (filter.task_id !== undefined) rows = rows.where('task_id', '=', filter.task_id)
    if (filter.effort_id !== undefined) rows = rows.where('effort_id', '=', filter.effort_id)
    if (filter.agent_id !== undefined) rows = rows.where('agent_id', '=', filter.agent_id)
    if (filter.native_id !== undefined) rows = rows.where('native_id', '=', filter.native_id)
    if (filter.open !== undefined) rows = rows.where('ended_at', filter.open ? 'is' : 'is not', null)
    return rows.orderBy('id', 'desc').limit(filter.limit)
  })
}
