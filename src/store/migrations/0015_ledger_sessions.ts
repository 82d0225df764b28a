import type { DatabaseKind, Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Separates the client's session from ours in the ledger, fills old entries, then refuses to change any. */
export async function up(tx: Tx): Promise<void> {
  const statements = [
    `alter table life_event add column window_id ${SPELLINGS[tx.kind].integer}`,
    ...tablesOfThePast(tx.kind),
    // PostgreSQL takes tables without statistics for small ones, and would not use their indexes.
    ...(tx.kind === 'postgres' ? ['analyze ledger_windows', 'analyze ledger_owners'] : []),
    fillOldEntries(tx.kind),
    'drop table ledger_windows',
    'drop table ledger_owners',
    'create index idx_life_event_window on life_event(window_id, seq) where window_id is not null',
    `create index idx_life_event_session on life_event(session_id, seq) where session_id <> ''`,
    ...GUARDS[tx.kind],
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}

/** Our number in the old form of `session_id`; shorter than 19 digits, so that the cast cannot overflow. */
const IS_OURS: Readonly<Record<DatabaseKind, string>> = {
  sqlite: `(session_id <> '' and length(session_id) < 19 and session_id not glob '*[^0-9]*')`,
  postgres: `(session_id ~ '^[0-9]{1,18}$')`,
}

const oursIn = (kind: DatabaseKind): string =>
  `case when ${IS_OURS[kind]} then cast(session_id as ${SPELLINGS[kind].integer}) end`

/** Which window served an effort and which agent owned it, from which entry on, as the ledger tells it. */
const tablesOfThePast = (kind: DatabaseKind): readonly string[] => [
  `create table ledger_windows as
    select * from (
      select ${oursIn(kind)} as window_id, effort_id, event_type, seq as since,
        lead(seq) over (partition by session_id order by seq) as until
      from life_event where event_type in ('session.started', 'session.switched', 'session.ended')
    ) moves where event_type <> 'session.ended'`,
  'create index ledger_windows_effort on ledger_windows(effort_id, since)',
  `create table ledger_owners as
    select effort_id, seq as since, case event_type when 'agent.claimed' then agent_id end as agent_id
    from life_event where event_type in ('agent.claimed', 'agent.released')`,
  'create index ledger_owners_effort on ledger_owners(effort_id, since)',
]

/** One statement, because each pass would write every entry again; materialized, so that each search runs once. */
const fillOldEntries = (kind: DatabaseKind): string => `
  with found as materialized (
    select seq,
      case when session_id = '' then ${WINDOW_OF_EFFORT}
        when ${IS_OURS[kind]} then ${oursIn(kind)}
        else ${WINDOW_OF_CLIENT} end as window_id,
      coalesce(agent_id, ${OWNER}) as agent_id
    from life_event where session_id <> '' or effort_id is not null
  )
  update life_event set
    window_id = found.window_id,
    session_id = case when found.window_id is null then life_event.session_id
      else coalesce((select s.native_id from sessions s where s.id = found.window_id), '') end,
    agent_id = found.agent_id
  from found
  where found.seq = life_event.seq and (found.window_id is not null or found.agent_id is not null)`

/** The newest window of the effort, if it was still open; a refused agent worked elsewhere. */
const WINDOW_OF_EFFORT = `(
  select case when w.until is null or w.until > life_event.seq then w.window_id end from ledger_windows w
  where w.effort_id = life_event.effort_id and w.since <= life_event.seq and life_event.event_type <> 'agent.refused'
  order by w.since desc limit 1)`

/** The only window of the client's session at that time. */
const WINDOW_OF_CLIENT = `(
  select case when count(*) = 1 then max(s.id) end from sessions s
  where s.native_id = life_event.session_id and s.created_at <= life_event.timestamp
    and (s.ended_at is null or s.ended_at >= life_event.timestamp))`

const OWNER = `(
  select o.agent_id from ledger_owners o
  where o.effort_id = life_event.effort_id and o.since <= life_event.seq order by o.since desc limit 1)`

const REFUSAL = 'Append-only constraint failed: life_event'

/**
 * The method that will forget payloads removes the update trigger and restores it within its transaction. Both
 * databases undo that with a rollback, and no other writer can use the gap.
 */
const GUARDS: Readonly<Record<DatabaseKind, readonly string[]>> = {
  sqlite: [
    ...['update', 'delete'].map(
      (change) => `create trigger life_event_no_${change} before ${change} on life_event
        begin select raise(abort, '${REFUSAL}'); end`,
    ),
    // "insert or replace" deletes the old entry without a delete trigger.
    `create trigger life_event_no_replace before insert on life_event
      when exists (select 1 from life_event where id = new.id or seq = new.seq)
      begin select raise(abort, '${REFUSAL}'); end`,
  ],
  postgres: [
    `create function refuse_ledger_change() returns trigger language plpgsql as $$ begin
      raise exception '${REFUSAL}' using errcode = 'restrict_violation';
    end $$`,
    `create trigger life_event_no_change before update or delete on life_event
      for each row execute function refuse_ledger_change()`,
    `create trigger life_event_no_truncate before truncate on life_event
      for each statement execute function refuse_ledger_change()`,
    // An older daemon on the same database writes our number here, and nobody can correct it later.
    `create function name_ledger_window() returns trigger language plpgsql as $$
    declare ours record; begin
      select id, coalesce(native_id, '') as native into ours from sessions where id = new.session_id::bigint;
      if found then new.window_id := ours.id; new.session_id := ours.native; end if;
      return new;
    end $$`,
    `create trigger life_event_of_older_daemon before insert on life_event for each row
      when (new.window_id is null and new.session_id ~ '^[0-9]{1,18}$')
      execute function name_ledger_window()`,
  ],
}
