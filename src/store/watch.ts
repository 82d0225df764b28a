import { sql } from 'kysely'
import { AD_HOC_ORDINAL } from '../model/effort.ts'
import { heartbeatLimit, type Watch } from '../model/watch.ts'
import { fromJson } from './json.ts'
import { windowChange } from './open-windows.ts'
import { PLAN_NEWS } from './plan.ts'
import { query, queryOne } from './query.ts'
import { LEVEL_SETTING } from './setting.ts'
import { keptPlan } from './skill.ts'
import { PROGRESS } from './step.ts'
import { SESSION_COLUMNS, type SessionRow } from './session.ts'

/** Includes the watches of the window, because every hook needs them. */
interface WatchedRow extends SessionRow {
  readonly ordinal: number
  readonly lifecycle: string
  readonly metadata: string | null
  readonly session_gate: number
  readonly has_scopes: number
  readonly has_delegations: number
  readonly is_strict: number
  readonly has_plan: number
  readonly gates_writes: number
  readonly awaits_first_step: number
  readonly has_news: number
  readonly has_chain: number
}

const waits = sql`exists (select 1 from delegations d where (d.session_id = sessions.native_id or d.session_id in (select s.native_id from sessions s where s.scope_of = sessions.native_id)) and d.ended_at is null and d.request is not null and d.agent_id is null)`
const works = sql`exists (select 1 from sessions s join efforts e on e.id = s.effort_id where s.scope_of = sessions.native_id and (s.ended_at is null or e.lifecycle = 'active'))`

/** A skill call waits for its sub-agent, or a sub-agent is at work or has unfinished work. */
const hasScopes = sql<number>`case when ${waits} or ${works} then 1 else 0 end`

const hasDelegations = sql<number>`case when exists (select 1 from delegations d where (d.session_id = sessions.native_id or d.session_id in (select s.native_id from sessions s where s.scope_of = sessions.native_id)) and d.ended_at is null and d.request is null) then 1 else 0 end`

const isStrict = sql<number>`case when coalesce(projects.level, (select value from settings where name = ${LEVEL_SETTING})) in ('strict', 'locked') then 1 else 0 end`

const hasPlan = sql<number>`case when ${keptPlan} is null then 0 else 1 end`

const hasNews = sql<number>`case when exists (select 1 from plan_state n where n.effort_id = efforts.id and n.name = ${PLAN_NEWS}) then 1 else 0 end`

const hasChain = sql<number>`case when exists (select 1 from continuations c where c.session_id = sessions.native_id and c.status in ('waiting', 'running')) then 1 else 0 end`

/** A text search, because most plans gate no files and parsing them is slow. */
const gatesWrites = sql<number>`case when ${keptPlan} like '%"writes":[%' then 1 else 0 end`

const awaitsFirstStep = sql<number>`case when ${keptPlan} like '%"activate":"first"%' and not exists (select 1 from plan_state v where v.effort_id = efforts.id and v.name = ${PROGRESS}) then 1 else 0 end`

export const findWatched = queryOne<{ native_id: string }, WatchedRow>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('efforts', 'efforts.id', 'sessions.effort_id')
    .innerJoin('tasks', 'tasks.dir_path', 'sessions.task_id')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .leftJoin('skills', (join) =>
      join
        .onRef('skills.workplace_id', '=', 'efforts.workplace_id')
        .onRef('skills.name', '=', 'efforts.skill'),
    )
    .leftJoin('plans', 'plans.digest', 'efforts.plan_digest')
    .select(SESSION_COLUMNS.map((column) => `sessions.${column}` as const))
    .select(['efforts.ordinal', 'efforts.lifecycle', 'efforts.metadata', 'projects.session_gate'])
    .select([hasScopes.as('has_scopes'), hasDelegations.as('has_delegations')])
    .select([isStrict.as('is_strict'), hasPlan.as('has_plan'), gatesWrites.as('gates_writes')])
    .select([hasNews.as('has_news'), awaitsFirstStep.as('awaits_first_step'), hasChain.as('has_chain')])
    .where('sessions.native_id', '=', p.native_id)
    .where('sessions.ended_at', 'is', null),
)

/** A finished effort has no demands and does not open the session gate. */
export function toWatch(row: WatchedRow): Watch {
  const { ordinal, lifecycle, metadata, session_gate, scope_of } = row
  const isActive = lifecycle === 'active'
  return {
    heartbeat: isActive
      ? heartbeatLimit(fromJson<{ heartbeat?: unknown }>(metadata, {}).heartbeat)
      : undefined,
    // A sub-agent that has done its own work is as free as one without any.
    wantsEffort: session_gate === 1 && scope_of === null && (ordinal === AD_HOC_ORDINAL || !isActive),
    hasScopes: row.has_scopes === 1,
    hasDelegations: row.has_delegations === 1,
    isStrict: row.is_strict === 1,
    hasPlan: isActive && row.has_plan === 1,
    gatesWrites: isActive && row.gates_writes === 1,
    awaitsFirstStep: isActive && row.awaits_first_step === 1,
    hasNews: isActive && row.has_news === 1,
    hasChain: row.has_chain === 1,
  }
}

/** Unmarked open windows without activity since a moment. */
export const unmarkedSilent = query<
  { since: string; limit: number },
  { id: number; effort_id: number; agent_id: string | null; heard_at: string }
>((db, p) =>
  db
    .selectFrom('sessions')
    .select(['id', 'effort_id', 'agent_id'])
    .select(sql<string>`last_heartbeat`.as('heard_at'))
    .where('ended_at', 'is', null)
    .where('stale_at', 'is', null)
    .where('last_heartbeat', '<', p.since)
    .orderBy('last_heartbeat')
    .limit(p.limit),
)

export const setStale = query<{ id: number; now: string }, unknown>((db, p) =>
  db.updateTable('sessions').set({ stale_at: p.now }).where('id', '=', p.id),
)

export const setToldDirectives = windowChange<{ id: number; told: string }, unknown>((db, p) =>
  db.updateTable('sessions').set({ told_directives: p.told }).where('id', '=', p.id),
)

/** The efforts as JSON; null once the session was told. */
export const setLostEfforts = windowChange<{ id: number; lost: string | null }, unknown>((db, p) =>
  db.updateTable('sessions').set({ lost_efforts: p.lost }).where('id', '=', p.id),
)

export const setContextTold = windowChange<{ id: number; mark: number }, unknown>((db, p) =>
  db.updateTable('sessions').set({ context_told: p.mark }).where('id', '=', p.id),
)
