import { type Selectable, sql } from 'kysely'
import { AD_HOC_ORDINAL, AD_HOC_SKILL, artifactPrefix, type Effort } from '../model/effort.ts'
import { fromJson } from './json.ts'
import { watchChange } from './open-windows.ts'
import { locked, query, queryOf, queryOne, type Tx } from './query.ts'
import type { Tables } from './schema.ts'

type Row = Selectable<Tables['efforts']>

export function toEffort(row: Row): Effort {
  const metadata = fromJson<Record<string, unknown>>(row.metadata, {})
  return {
    ...row,
    discovered_directives: fromJson<readonly string[]>(row.discovered_directives, []),
    discovered_directories: fromJson<readonly string[]>(row.discovered_directories, []),
    metadata,
    result: fromJson<unknown>(row.result, null),
    artifact_prefix: artifactPrefix({ ...row, metadata }),
  }
}

interface NewEffort {
  task_id: string
  skill: string
  mode: string | null
  ordinal: number
  metadata: string | null
  agent_id: string | null
  workplace_id: number
  request: string | null
  plan_digest: string | null
  now: string
}

export const insertEffort = queryOne<NewEffort, Row>((db, p) =>
  db
    .insertInto('efforts')
    .values({
      task_id: p.task_id,
      skill: p.skill,
      mode: p.mode,
      ordinal: p.ordinal,
      metadata: p.metadata,
      agent_id: p.agent_id,
      workplace_id: p.workplace_id,
      request: p.request,
      plan_digest: p.plan_digest,
      created_at: p.now,
    })
    .returningAll(),
)

/** Each task has an ad-hoc effort for sessions without another effort; it says where the task lies. */
export const ensureAdHocEffort = query<{ task_id: string; workplace_id: number; now: string }, unknown>(
  (db, p) =>
    db
      .insertInto('efforts')
      .values({
        task_id: p.task_id,
        skill: AD_HOC_SKILL,
        ordinal: AD_HOC_ORDINAL,
        workplace_id: p.workplace_id,
        created_at: p.now,
      })
      .onConflict((oc) =>
        oc
          .columns(['task_id', 'ordinal'])
          .doUpdateSet((eb) => ({ workplace_id: eb.ref('excluded.workplace_id') })),
      ),
)

export const findAdHocEffort = queryOne<{ task_id: string }, Row>((db, p) =>
  db.selectFrom('efforts').selectAll().where('task_id', '=', p.task_id).where('ordinal', '=', AD_HOC_ORDINAL),
)

export const findEffort = queryOne<{ id: number }, Row>((db, p) =>
  db.selectFrom('efforts').selectAll().where('id', '=', p.id),
)

/** Locks the row for a change that depends on its current state. */
export const lockEffort = queryOne<{ id: number }, Row>((db, p, kind) =>
  locked(db.selectFrom('efforts').selectAll().where('id', '=', p.id), kind),
)

export const finishEffort = watchChange<{ id: number; now: string; result: string | null }, Row>((db, p) =>
  db
    .updateTable('efforts')
    .set({ lifecycle: 'finished', finished_at: p.now, result: p.result })
    .where('id', '=', p.id)
    .where('lifecycle', '=', 'active')
    .returningAll(),
)

export const setPhase = query<{ id: number; phase: string }, unknown>((db, p) =>
  db.updateTable('efforts').set({ current_phase: p.phase }).where('id', '=', p.id),
)

/** An effort without words of its own gets those of the call that it replaces. */
export const inheritRequest = query<{ id: number; request: string }, unknown>((db, p) =>
  db.updateTable('efforts').set({ request: p.request }).where('id', '=', p.id).where('request', 'is', null),
)

export const setDiscoveredDirectives = query<{ id: number; paths: string }, unknown>((db, p) =>
  db.updateTable('efforts').set({ discovered_directives: p.paths }).where('id', '=', p.id),
)

/** Gives an effort another task. */
export const setTask = watchChange<{ id: number; task_id: string; ordinal: number }, Row>((db, p) =>
  db
    .updateTable('efforts')
    .set({ task_id: p.task_id, ordinal: p.ordinal })
    .where('id', '=', p.id)
    .returningAll(),
)

/** Null keeps the stored value. */
export const describeEffort = watchChange<{ id: number; mode: string | null; metadata: string | null }, Row>(
  (db, p) =>
    db
      .updateTable('efforts')
      .set((eb) => ({
        mode: eb.fn.coalesce(eb.val(p.mode), 'mode'),
        metadata: eb.fn.coalesce(eb.val(p.metadata), 'metadata'),
      }))
      .where('id', '=', p.id)
      .returningAll(),
)

/** An effort works where its last session works. */
export const setEffortPlace = query<{ id: number; workplace_id: number }, unknown>((db, p) =>
  db
    .updateTable('efforts')
    .set({ workplace_id: p.workplace_id })
    .where('id', '=', p.id)
    .where('ordinal', '>', AD_HOC_ORDINAL)
    .where('workplace_id', '<>', p.workplace_id),
)

/** The session that begins or continues an effort keeps it until it ends or another one takes it. */
export const setLastSession = query<{ id: number; session_id: number }, unknown>((db, p) =>
  db
    .updateTable('efforts')
    .set({ last_session_id: p.session_id })
    .where('id', '=', p.id)
    .where('ordinal', '>', AD_HOC_ORDINAL),
)

export const setOwner = queryOne<{ id: number; agent_id: string | null }, Row>((db, p) =>
  db.updateTable('efforts').set({ agent_id: p.agent_id }).where('id', '=', p.id).returningAll(),
)

/** The last effort that an agent owned, also if it is finished. */
export const lastOwned = queryOne<{ agent_id: string }, { id: number }>((db, p) =>
  db
    .selectFrom('efforts')
    .select('id')
    .where('agent_id', '=', p.agent_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)

export const listEfforts = query<{ task_id: string }, Row>((db, p) =>
  db.selectFrom('efforts').selectAll().where('task_id', '=', p.task_id).orderBy('ordinal'),
)

export interface ActiveFilter {
  readonly task_id?: string | undefined
  readonly agent_id?: string | undefined
  readonly skill?: string | undefined
  readonly projectId?: number | undefined
  /** Whether finished efforts count too. */
  readonly finished?: boolean
  readonly limit: number
}

export function findActiveEfforts(tx: Tx, filter: ActiveFilter): Promise<readonly Row[]> {
  return queryOf(tx, (db) => {
    let rows = db
      .selectFrom('efforts')
      .innerJoin('tasks', 'tasks.dir_path', 'efforts.task_id')
      .selectAll('efforts')
      .where('efforts.ordinal', '>', AD_HOC_ORDINAL)
    if (filter.finished !== true) rows = rows.where('efforts.lifecycle', '=', 'active')
    if (filter.task_id !== undefined) rows = rows.where('efforts.task_id', '=', filter.task_id)
    if (filter.agent_id !== undefined) rows = rows.where('efforts.agent_id', '=', filter.agent_id)
    if (filter.skill !== undefined) rows = rows.where('efforts.skill', '=', filter.skill)
    if (filter.projectId !== undefined) rows = rows.where('tasks.project_id', '=', filter.projectId)
    return rows.orderBy('efforts.id', 'desc').limit(filter.limit)
  })
}

/** The skills of efforts that are part of others; `model/child.ts` makes them. */
const OF_SUBAGENTS = '%/%'

/** The last finished efforts of a task for a recap, newest first. */
export const lastFinished = query<{ task_id: string }, Row>((db, p) =>
  db
    .selectFrom('efforts')
    .selectAll()
    .where('task_id', '=', p.task_id)
    .where('lifecycle', '=', 'finished')
    .where('skill', 'not like', OF_SUBAGENTS)
    .orderBy('ordinal', 'desc')
    .limit(sql.lit(5)),
)

/** The newest efforts of a project, whose files may be told. */
export const newestEffortsIn = query<{ project_id: number }, Row>((db, p) =>
  db
    .selectFrom('tasks')
    .innerJoin('efforts', 'efforts.task_id', 'tasks.dir_path')
    .selectAll('efforts')
    .where('tasks.project_id', '=', p.project_id)
    .where('efforts.ordinal', '>', AD_HOC_ORDINAL)
    .orderBy('efforts.id', 'desc')
    .limit(sql.lit(20)),
)

/** The last finished effort of a project or task, and the count of finished ones. */
export const lastFinishedIn = queryOne<
  { project_id: number; task_id: string | null },
  Pick<Row, 'id' | 'skill' | 'task_id'> & { count: number }
>((db, p) =>
  db
    .selectFrom('efforts')
    .innerJoin('tasks', 'tasks.dir_path', 'efforts.task_id')
    .select(['efforts.id', 'efforts.skill', 'efforts.task_id'])
    .select((eb) => eb.fn.countAll<number>().over().as('count'))
    .where('tasks.project_id', '=', p.project_id)
    .where('efforts.task_id', '=', (eb) => eb.fn.coalesce(eb.val(p.task_id), 'efforts.task_id'))
    .where('efforts.lifecycle', '=', 'finished')
    .where('efforts.ordinal', '>', AD_HOC_ORDINAL)
    .where('efforts.skill', 'not like', OF_SUBAGENTS)
    .orderBy('efforts.finished_at', 'desc')
    .orderBy('efforts.id', 'desc')
    .limit(sql.lit(1)),
)

/** Other efforts of a project with a recently active session. */
export const effortsAtWork = query<
  { project_id: number; effort_id: number; since: string },
  Pick<Row, 'id' | 'skill' | 'ordinal' | 'current_phase' | 'task_id' | 'agent_id'>
>((db, p) =>
  db
    .selectFrom('tasks')
    .innerJoin('efforts', 'efforts.task_id', 'tasks.dir_path')
    .select([
      'efforts.id',
      'efforts.skill',
      'efforts.ordinal',
      'efforts.current_phase',
      'efforts.task_id',
      'efforts.agent_id',
    ])
    .where('tasks.project_id', '=', p.project_id)
    .where('efforts.lifecycle', '=', 'active')
    .where('efforts.ordinal', '>', AD_HOC_ORDINAL)
    .where('efforts.id', '<>', p.effort_id)
    .where('efforts.skill', 'not like', OF_SUBAGENTS)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('sessions')
          .select('sessions.id')
          .whereRef('sessions.effort_id', '=', 'efforts.id')
          .where('sessions.ended_at', 'is', null)
          .where(sql<string>`coalesce(sessions.last_heartbeat, sessions.created_at)`, '>=', p.since),
      ),
    )
    .orderBy('efforts.id', 'desc')
    .limit(sql.lit(10)),
)

/** Any effort of a task that is not finished. */
export const findActiveIn = queryOne<{ task_id: string }, { id: number }>((db, p) =>
  db
    .selectFrom('efforts')
    .select('id')
    .where('task_id', '=', p.task_id)
    .where('lifecycle', '=', 'active')
    .where('ordinal', '>', AD_HOC_ORDINAL)
    .limit(sql.lit(1)),
)

export const countActiveIn = queryOne<{ project_id: number }, { count: number }>((db, p) =>
  db
    .selectFrom('efforts')
    .innerJoin('tasks', 'tasks.dir_path', 'efforts.task_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tasks.project_id', '=', p.project_id)
    .where('efforts.lifecycle', '=', 'active')
    .where('efforts.ordinal', '>', AD_HOC_ORDINAL),
)
