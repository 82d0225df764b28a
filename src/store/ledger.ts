import { type Expression, type ExpressionBuilder, expressionBuilder, type InsertObject, sql } from 'kysely'
import type { LedgerEntry, LedgerEvent } from '../model/ledger.ts'
import { fromJson } from './json.ts'
import { query, queryOf, queryOne, type Tx } from './query.ts'
import type { Tables } from './schema.ts'

/** A row of the ledger as callers see it. */
export interface LedgerRow {
  readonly seq: number
  readonly id: string
  readonly timestamp: string
  readonly event_type: string
  readonly skill: string
  readonly phase: string
  /** The client's id of the session. */
  readonly session_id: string
  /** Our id of the session. */
  readonly window_id: number | null
  readonly effort_id: number | null
  readonly project_id: number | null
  readonly agent_id: string | null
  readonly payload: unknown
}

type NewRow = Omit<LedgerRow, 'seq' | 'payload'> & { readonly payload: string }

type Expressions = ExpressionBuilder<Tables, 'life_event'>
type Session = Pick<InsertObject<Tables, 'life_event'>, 'session_id' | 'window_id'>

/** The project and the owner follow from the effort, so callers may omit them. */
const inserting = (sessionOf: (eb: Expressions, p: NewRow) => Session) =>
  query<NewRow, unknown>((db, p) =>
    db.insertInto('life_event').values((eb) => ({
      id: p.id,
      timestamp: p.timestamp,
      event_type: p.event_type,
      skill: p.skill,
      phase: p.phase,
      ...sessionOf(eb, p),
      effort_id: p.effort_id,
      project_id: eb.fn.coalesce(
        eb.val(p.project_id),
        eb
          .selectFrom('efforts')
          .innerJoin('tasks', 'tasks.dir_path', 'efforts.task_id')
          .select('tasks.project_id')
          .where('efforts.id', '=', p.effort_id),
      ),
      agent_id: eb.fn.coalesce(
        eb.val(p.agent_id),
        eb.selectFrom('efforts').select('efforts.agent_id').where('efforts.id', '=', p.effort_id),
      ),
      payload: p.payload,
    })),
  )

/** The client knows the main thread of a sub-agent. */
const CLIENTS_ID = sql<string | null>`coalesce(scope_of, native_id)`.as('native_id')

/** The session of an entry by what the caller knows; each query is small, because PostgreSQL plans it every time. */
const INSERTS = {
  window: inserting((eb, p) => ({
    session_id: orEmpty(
      eb,
      eb.selectFrom('sessions').select(CLIENTS_ID).where('sessions.id', '=', p.window_id),
    ),
    window_id: p.window_id,
  })),
  native: inserting((eb, p) => ({
    session_id: eb.fn.coalesce(
      sql<string | null>`${openWith(eb, p).select(CLIENTS_ID)}`,
      eb.val(p.session_id),
    ),
    window_id: openWith(eb, p).select('sessions.id'),
  })),
  effort: inserting((eb, p) => ({
    session_id: orEmpty(eb, newestOpen(eb, p).select(CLIENTS_ID)),
    window_id: newestOpen(eb, p).select('sessions.id'),
  })),
  none: inserting(() => ({ session_id: '', window_id: null })),
}

const orEmpty = (eb: Expressions, text: Expression<{ native_id: string | null }>) =>
  eb.fn.coalesce(sql<string | null>`${text}`, sql.lit(''))

const openWith = (eb: Expressions, { session_id }: NewRow) =>
  eb.selectFrom('sessions').where('native_id', '=', session_id).where('ended_at', 'is', null)

/** The newest open session represents an effort, as in the view of the fleet. */
const newestOpen = (eb: Expressions, { effort_id }: NewRow) =>
  eb
    .selectFrom('sessions')
    .where('sessions.effort_id', '=', effort_id)
    .where('ended_at', 'is', null)
    .orderBy('sessions.id', 'desc')
    .limit(sql.lit(1))

/** Appends an entry in the transaction of the change. */
export async function record(tx: Tx, entry: LedgerEntry, at: { id: string; now: string }): Promise<void> {
  await INSERTS[knownOf(entry)](tx, {
    id: at.id,
    timestamp: at.now,
    event_type: entry.event_type,
    skill: entry.skill ?? '',
    phase: entry.phase ?? '',
    session_id: entry.session_id ?? '',
    window_id: entry.window_id ?? null,
    effort_id: entry.effort_id ?? null,
    project_id: entry.project_id ?? null,
    agent_id: entry.agent_id ?? null,
    payload: entry.payload === undefined ? '' : JSON.stringify(entry.payload),
  })
}

function knownOf({ event_type, window_id, session_id, effort_id }: LedgerEntry): keyof typeof INSERTS {
  // A window comes first, because a call may end the window of another session.
  if (window_id !== undefined) return 'window'
  if (session_id !== undefined) return 'native'
  // An agent that was refused an effort works elsewhere.
  return effort_id === undefined || event_type === 'agent.refused' ? 'none' : 'effort'
}

export interface LedgerFilter {
  readonly after?: number | undefined
  readonly before?: number | undefined
  readonly event_types?: readonly LedgerEvent[] | undefined
  readonly skill?: string | undefined
  readonly effort_id?: number | undefined
  readonly project_id?: number | undefined
  /** Our id of a session, or the client's. */
  readonly session?: number | string | undefined
  readonly newestFirst: boolean
  readonly limit: number
  /** Leaves out entries that an open transaction could still precede. */
  readonly settled?: boolean
}

export async function listLedger(tx: Tx, filter: LedgerFilter): Promise<readonly LedgerRow[]> {
  const end = filter.settled === true && tx.kind === 'postgres' ? await settledSeq(tx) : undefined
  const rows = await queryOf(tx, (db) => {
    let entries = db.selectFrom('life_event').selectAll()
    if (filter.after !== undefined) entries = entries.where('seq', '>', filter.after)
    if (filter.before !== undefined) entries = entries.where('seq', '<', filter.before)
    if (filter.event_types !== undefined) entries = entries.where('event_type', 'in', filter.event_types)
    if (filter.skill !== undefined) entries = entries.where('skill', '=', filter.skill)
    if (filter.effort_id !== undefined) entries = entries.where('effort_id', '=', filter.effort_id)
    if (filter.project_id !== undefined) entries = entries.where(isOf(filter.project_id))
    if (filter.session !== undefined) entries = entries.where(isOfSession(filter.session))
    if (end !== undefined) entries = entries.where('seq', '<=', end)
    return entries.orderBy('seq', filter.newestFirst ? 'desc' : 'asc').limit(filter.limit)
  })
  return rows.map((row) => ({
    ...row,
    payload: fromJson<unknown>(row.payload === '' ? null : row.payload, null),
  }))
}

/** A text of digits can be either id, because a shell has no numbers. */
function isOfSession(session: number | string) {
  const eb = expressionBuilder<Tables, 'life_event'>()
  const ours = Number(session)
  return eb.or([
    ...(Number.isSafeInteger(ours) ? [eb('window_id', '=', ours)] : []),
    ...(typeof session === 'string' ? [eb('session_id', '=', session)] : []),
  ])
}
/** Entries from before a merge name the project that was merged. */
const isOf = (project: number) => sql<boolean>`project_id in (
  select id from projects where coalesce(main_id, id) = (
    select coalesce(main_id, id) from projects where id = ${project}))`

export const lastSeq = queryOne<object, { seq: number | null }>((db) =>
  db.selectFrom('life_event').select((eb) => eb.fn.max('seq').as('seq')),
)

/** Counts the refusals in the open sessions of a project, by effort. */
export const refusalsIn = query<{ project_id: number }, { effort_id: number | null; count: number }>(
  (db, p) =>
    db
      .selectFrom('tasks')
      .innerJoin('efforts', 'efforts.task_id', 'tasks.dir_path')
      .innerJoin('sessions', 'sessions.effort_id', 'efforts.id')
      .innerJoin('life_event', 'life_event.window_id', 'sessions.id')
      .select('life_event.effort_id')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('tasks.project_id', '=', p.project_id)
      .where('sessions.ended_at', 'is', null)
      .where('life_event.event_type', 'like', '%.refused')
      .groupBy('life_event.effort_id'),
)

/** The kinds of entries of an effort since a moment, in its last thousand entries, each with its last time. */
export const kindsSince = query<
  { effort_id: number; since: string },
  { event_type: string; last_at: string }
>((db, p) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('life_event')
        .select(['event_type', 'timestamp'])
        .where('effort_id', '=', p.effort_id)
        .orderBy('seq', 'desc')
        .limit(sql.lit(1000))
        .as('last'),
    )
    .select(['event_type', (eb) => eb.fn.max('timestamp').as('last_at')])
    .where('timestamp', '>=', p.since)
    .groupBy('event_type'),
)

export const appendsAfter = query<{ seq: number }, { payload: string }>((db, p) =>
  db
    .selectFrom('life_event')
    .select('payload')
    .where('seq', '>', p.seq)
    .where('event_type', 'in', ['file.appending', 'file.appended']),
)

/** The base of the advisory locks that mark transactions with unfinished entry numbers. */
export const LEDGER_LOCK = 0x1e * 2 ** 48

const LAST_NUMBER = `select coalesce(pg_sequence_last_value('life_event_numbers'), 0) as seq`
const FIRST_OPEN = `select min((classid::bigint << 32 | objid::bigint) - ${LEDGER_LOCK}) as seq from pg_locks
  where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 16 = ${LEDGER_LOCK / 2 ** 48}
    and database = (select oid from pg_database where datname = current_database())`

/**
 * No new entry can appear at or below this seq. PostgreSQL assigns numbers before the commit, so a follower must stay
 * below every open transaction. The order of these two queries and the following read guarantees it.
 */
export async function settledSeq(tx: Tx): Promise<number> {
  if (tx.kind === 'sqlite') return (await lastSeq(tx, {}))?.seq ?? 0
  const [last] = await tx.execute<{ seq: number }>({ sql: LAST_NUMBER, parameters: [] })
  const [open] = await tx.execute<{ seq: number | null }>({ sql: FIRST_OPEN, parameters: [] })
  return Math.min(last?.seq ?? 0, open?.seq ?? Infinity)
}
