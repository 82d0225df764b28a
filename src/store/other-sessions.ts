import { sql } from 'kysely'
import { query, queryOf, queryOne, type Tx } from './query.ts'
import { SESSION_COLUMNS, type SessionRow } from './session.ts'

/** Sessions beside the one that asks. */

/** The window that ended last in a checkout before another one began, of the main thread of another session. */
export const lastEndedBefore = queryOne<
  { after: number; id: number; native_id: string; workplace_id: number; client: string; since: string },
  SessionRow
>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    // A bound, because nothing indexes sessions by checkout.
    .where('id', '>', p.after)
    .where('id', '<', p.id)
    .where('workplace_id', '=', p.workplace_id)
    .where('client', '=', p.client)
    .where('native_id', '<>', p.native_id)
    .where('scope_of', 'is', null)
    .where('ended_at', '>=', p.since)
    .orderBy('ended_at', 'desc')
    .limit(sql.lit(1)),
)

/** The last ended windows of other sessions of a project, newest first, with the files that they left with efforts. */
export const endedWithFiles = query<
  { after: number; project_id: number; effort_id: number; native_id: string },
  {
    native_id: string | null
    at: string
    changed_files: string | null
    loaded_files: string | null
    left_files: string | null
  }
>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('workplaces', 'workplaces.id', 'sessions.workplace_id')
    .leftJoin('effort_files', 'effort_files.session_id', 'sessions.id')
    .select([
      'sessions.native_id',
      sql<string>`sessions.ended_at`.as('at'),
      'sessions.changed_files',
      'sessions.loaded_files',
      'effort_files.files as left_files',
    ])
    .where('sessions.id', '>', p.after)
    .where('workplaces.project_id', '=', p.project_id)
    .where('sessions.ended_at', 'is not', null)
    .where('sessions.scope_of', 'is', null)
    .where('sessions.native_id', '<>', p.native_id)
    .where('sessions.effort_id', '<>', p.effort_id)
    .orderBy('sessions.id', 'desc')
    .limit(sql.lit(40)),
)

const MOST_BESIDE = 100

/** The other open sessions of a client in a project, the longest silent first. */
export const openBeside = query<{ project_id: number; client: string; native_id: string }, SessionRow>(
  (db, p) =>
    db
      .selectFrom('sessions')
      .innerJoin('tasks', 'tasks.dir_path', 'sessions.task_id')
      .select(SESSION_COLUMNS.map((column) => `sessions.${column}` as const))
      .where('tasks.project_id', '=', p.project_id)
      .where('sessions.client', '=', p.client)
      .where('sessions.native_id', '<>', p.native_id)
      .where('sessions.ended_at', 'is', null)
      .orderBy(sql`coalesce(sessions.last_heartbeat, sessions.created_at)`)
      // A limited batch, because closing them delays every commit.
      .limit(sql.lit(MOST_BESIDE)),
)

/** The newest window of each session of an agent, newest first, and when the session began. */
export function sessionsIn(
  tx: Tx,
  { project_id, limit }: { readonly project_id: number | undefined; readonly limit: number },
): Promise<readonly { id: number; began_at: string }[]> {
  return queryOf(tx, (db) => {
    const rows = db
      .selectFrom('sessions')
      .innerJoin('workplaces', 'workplaces.id', 'sessions.workplace_id')
      .select((eb) => [eb.fn.max('sessions.id').as('id'), eb.fn.min('sessions.created_at').as('began_at')])
      .where('sessions.scope_of', 'is', null)
      // A terminal is no session of an agent.
      .where((eb) => eb.or([eb('native_id', 'is not', null), eb('agent_id', 'is not', null)]))
      .groupBy(sql`coalesce(native_id, cast(sessions.id as text))`)
      // Not by id, because older sessions may be imported later.
      .orderBy((eb) => eb.fn.max('sessions.created_at'), 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
    return project_id === undefined ? rows : rows.where('workplaces.project_id', '=', project_id)
  })
}
