import { sql } from 'kysely'
import { query } from './query.ts'
import { SESSION_COLUMNS, type SessionRow } from './session.ts'

/** The efforts and open spans of the open sessions of a project, with their last activity. */
export const openInProject = query<
  { project_id: number },
  {
    id: number
    native_id: string | null
    agent_id: string | null
    effort_id: number
    waits_for: number | null
    heard_at: string
  }
>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('tasks', 'tasks.dir_path', 'sessions.task_id')
    .leftJoin('skill_span', (join) =>
      join
        .onRef('skill_span.session_id', '=', 'sessions.native_id')
        .on('skill_span.status', 'in', ['active', 'suspended']),
    )
    .select([
      'sessions.id',
      'sessions.native_id',
      'sessions.agent_id',
      'sessions.effort_id',
      'skill_span.effort_id as waits_for',
      sql<string>`coalesce(sessions.last_heartbeat, sessions.created_at)`.as('heard_at'),
    ])
    .where('tasks.project_id', '=', p.project_id)
    .where('sessions.ended_at', 'is', null),
)

/** Open windows of others that serve an effort, or return to it after a called skill. */
export const otherWindowsOf = query<{ effort_id: number; native_id: string }, SessionRow>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('ended_at', 'is', null)
    .where((eb) => eb.or([eb('native_id', 'is', null), eb('native_id', '<>', p.native_id)]))
    .where((eb) =>
      eb.or([
        eb('effort_id', '=', p.effort_id),
        eb(
          'native_id',
          'in',
          eb
            .selectFrom('skill_span')
            .select('skill_span.session_id')
            .where('skill_span.effort_id', '=', p.effort_id)
            .where('skill_span.status', 'in', ['active', 'suspended']),
        ),
      ]),
    )
    .orderBy('id'),
)

/** The open windows of those that began or continued the active efforts of a project last. */
export const lastHoldersIn = query<
  { project_id: number },
  { id: number; native_id: string | null; agent_id: string | null; effort_id: number; heard_at: string }
>((db, p) =>
  db
    .selectFrom('tasks')
    .innerJoin('efforts', 'efforts.task_id', 'tasks.dir_path')
    .innerJoin('sessions as last', 'last.id', 'efforts.last_session_id')
    // A client keeps its id over its windows, and an agent without a client its name.
    .innerJoin('sessions', (join) =>
      join.on(
        sql<boolean>`sessions.native_id = last.native_id
          or (last.native_id is null and sessions.agent_id = last.agent_id)`,
      ),
    )
    .select([
      'sessions.id',
      'sessions.native_id',
      'sessions.agent_id',
      'efforts.id as effort_id',
      sql<string>`coalesce(sessions.last_heartbeat, sessions.created_at)`.as('heard_at'),
    ])
    .where('tasks.project_id', '=', p.project_id)
    .where('efforts.lifecycle', '=', 'active')
    .where('sessions.ended_at', 'is', null),
)
