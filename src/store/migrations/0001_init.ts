import type { Tx } from '../query.ts'
import { SPELLINGS, type Spelling } from './dialect.ts'

/** The first tables, views and indexes. */
export async function up(tx: Tx): Promise<void> {
  const spell = SPELLINGS[tx.kind]
  const statements = [...spell.beforeSeq, ...tables(spell), ...INDEXES, ...views(spell)]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}

const tables = (spell: Spelling): readonly string[] => [
  ...workTables(spell),
  ...sessionTables(spell),
  ...skillTables(spell),
  ...planTables(spell),
  ...fleetTables(spell),
  ...ownTables(spell),
]

const workTables = ({ id, integer, now, end }: Spelling) => [
  `create table projects (
    id ${id},
    path text not null unique,
    name text,
    created_at text not null default ${now}
  ) ${end}`,
  // last_ordinal counts the efforts: MAX+1 fails with many daemons.
  `create table tasks (
    dir_path text not null primary key,
    project_id ${integer} not null references projects(id),
    workspace text,
    title text,
    description text,
    keywords text,
    last_ordinal ${integer} not null default 0,
    created_at text not null default ${now}
  ) ${end}`,
  `create table efforts (
    id ${id},
    task_id text not null references tasks(dir_path) on delete cascade,
    skill text not null,
    mode text,
    ordinal ${integer} not null,
    lifecycle text not null default 'active' check (lifecycle in ('active', 'finished')),
    current_phase text,
    discovered_directives text,
    discovered_directories text,
    metadata text,
    agent_id text,
    created_at text not null default ${now},
    finished_at text,
    unique (task_id, ordinal),
    check ((lifecycle = 'finished') = (finished_at is not null))
  ) ${end}`,
  `create table phase_history (
    id ${id},
    effort_id ${integer} not null references efforts(id) on delete cascade,
    phase_label text not null,
    proof text,
    created_at text not null default ${now}
  ) ${end}`,
]

const sessionTables = ({ id, seq, integer, real, now, end }: Spelling) => [
  `create table sessions (
    id ${id},
    task_id text not null references tasks(dir_path) on delete cascade,
    effort_id ${integer} not null references efforts(id),
    prev_session_id ${integer} references sessions(id),
    pid ${integer},
    heartbeat_counter ${integer} not null default 0,
    last_heartbeat text,
    context_usage ${real},
    loaded_files text,
    dehydration_payload text,
    native_id text,
    client text,
    agent_id text,
    transcript_path text,
    transcript_offset ${integer} not null default 0,
    created_at text not null default ${now},
    ended_at text,
    ended_reason text,
    check ((ended_at is null) = (ended_reason is null))
  ) ${end}`,
  `create table messages (
    id ${id},
    session_id ${integer} not null references sessions(id) on delete cascade,
    role text not null check (role in ('user', 'assistant', 'system', 'tool')),
    content text not null,
    tool_name text,
    timestamp text not null default ${now}
  ) ${end}`,
  // seq is the order of the ledger; a timestamp never is.
  `create table life_event (
    seq ${seq},
    id text not null unique,
    timestamp text not null default ${now},
    skill text not null,
    phase text not null default '',
    event_type text not null default 'phase_enter',
    session_id text not null default '',
    payload text not null default '',
    effort_id ${integer},
    project_id ${integer},
    agent_id text
  ) ${end}`,
]

const skillTables = ({ id, integer, blob, now, end }: Spelling) => [
  `create table skills (
    id ${id},
    project_id ${integer} not null references projects(id) on delete cascade,
    name text not null,
    phases text,
    modes text,
    templates text,
    cmd_dependencies text,
    next_skills text,
    directives text,
    updated_at text not null default ${now},
    unique (project_id, name)
  ) ${end}`,
  `create table embeddings (
    id ${id},
    source_type text not null,
    source_path text not null,
    chunk_text text,
    embedding ${blob},
    updated_at text not null default ${now}
  ) ${end}`,
  `create table skill_span (
    span_id text not null primary key,
    skill text not null,
    parent_span_id text references skill_span(span_id),
    status text not null default 'active' check (status in ('active', 'suspended', 'completed')),
    first_step text,
    last_step text,
    steps text not null default '[]',
    started_at text not null default ${now},
    suspended_at text,
    completed_at text,
    session_id text,
    effort_id ${integer} references efforts(id) on delete cascade
  ) ${end}`,
]

const planTables = ({ id, integer, now, end }: Spelling) => [
  `create table artifacts (
    id ${id},
    effort_id ${integer} references efforts(id) on delete cascade,
    span_id text references skill_span(span_id) on delete cascade,
    step text,
    name text not null,
    path text,
    evidence text,
    created_at text not null default ${now},
    check (effort_id is not null or span_id is not null)
  ) ${end}`,
  // Started and completed are separate, and attempts include the first.
  `create table step_visits (
    id ${id},
    effort_id ${integer} not null references efforts(id) on delete cascade,
    step text not null,
    attempts ${integer} not null default 1,
    started_at text not null default ${now},
    completed_at text,
    outcome text,
    unique (effort_id, step)
  ) ${end}`,
  `create table continuations (
    id ${id},
    project_id ${integer} not null references projects(id) on delete cascade,
    effort_id ${integer} references efforts(id) on delete cascade,
    position ${integer} not null,
    skill text not null,
    args text,
    context text,
    status text not null default 'waiting'
      check (status in ('waiting', 'running', 'completed', 'failed', 'parked', 'dropped')),
    result text,
    on_error text,
    created_at text not null default ${now},
    updated_at text not null default ${now}
  ) ${end}`,
  `create table plan_state (
    effort_id ${integer} not null references efforts(id) on delete cascade,
    name text not null,
    value text not null,
    updated_at text not null default ${now},
    primary key (effort_id, name)
  ) ${end}`,
  `create table approvals (
    id ${id},
    effort_id ${integer} not null references efforts(id) on delete cascade,
    kind text not null,
    subject text not null,
    reason text not null check (reason <> ''),
    created_at text not null default ${now}
  ) ${end}`,
]

const fleetTables = ({ id, integer, now, end }: Spelling) => [
  // INV_AGENT_OWNS_EFFORT: unique, so that even a bug of ours cannot let two agents own one effort.
  `create table agents (
    id text not null primary key,
    label text,
    claims text,
    effort_id ${integer} unique references efforts(id) on delete set null,
    registered_at text not null default ${now}
  ) ${end}`,
  `create table queue (
    id ${id},
    project_id ${integer} not null references projects(id) on delete cascade,
    effort_id ${integer} references efforts(id) on delete cascade,
    kind text not null,
    content text not null,
    resolution text,
    created_at text not null default ${now},
    resolved_at text
  ) ${end}`,
  `create table workers (
    id text not null primary key,
    project_id ${integer} not null references projects(id) on delete cascade,
    agent_id text references agents(id) on delete set null,
    task_id text references tasks(dir_path) on delete cascade,
    worktree text,
    branch text,
    pane text,
    pid ${integer},
    status text not null default 'starting' check (status in ('starting', 'running', 'stopped', 'failed')),
    attempts ${integer} not null default 1,
    created_at text not null default ${now},
    ended_at text
  ) ${end}`,
  `create table leases (
    name text not null primary key,
    holder text not null,
    fence ${integer} not null default 1,
    expires_at text not null
  ) ${end}`,
]

const ownTables = ({ now, end }: Spelling) => [
  `create table idempotency_keys (
    key text not null primary key,
    method text not null,
    digest text not null,
    intent text,
    result text,
    created_at text not null default ${now}
  ) ${end}`,
  `create table settings (
    name text not null primary key,
    value text not null
  ) ${end}`,
  `insert into settings (name, value) values ('stale_after_seconds', '300')`,
]

const INDEXES = [
  'create index idx_efforts_task_lifecycle on efforts(task_id, lifecycle)',
  'create index idx_sessions_effort_ended on sessions(effort_id, ended_at)',
  'create index idx_messages_session_ts on messages(session_id, timestamp)',
  'create index idx_tasks_project on tasks(project_id)',
  'create index idx_sessions_native on sessions(native_id, ended_at)',
  // When a session starts twice at once, the second start must find the first.
  'create unique index idx_sessions_open_native on sessions(native_id) where ended_at is null',
  'create index idx_sessions_agent on sessions(agent_id, ended_at)',
  'create index idx_sessions_task on sessions(task_id)',
  'create index idx_phase_history_effort on phase_history(effort_id, id)',
  'create index idx_life_event_effort on life_event(effort_id, seq)',
  'create index idx_skill_span_session on skill_span(session_id, status)',
  'create index idx_skill_span_effort on skill_span(effort_id)',
  'create index idx_artifacts_effort on artifacts(effort_id, name)',
  'create index idx_continuations_project on continuations(project_id, status, position)',
  'create index idx_approvals_effort on approvals(effort_id)',
  'create index idx_queue_project on queue(project_id, resolved_at)',
  'create index idx_embeddings_source on embeddings(source_type, source_path)',
  'create index idx_idempotency_created on idempotency_keys(created_at)',
]

const views = (spell: Spelling) => [
  // The newest open session represents an effort, so that an agent is listed once.
  `create view fleet_status as
    select a.id as agent, a.label, e.skill, e.current_phase, s.heartbeat_counter, s.context_usage,
      e.id as effort_id, e.ordinal, e.task_id, t.project_id, s.id as session_id, s.last_heartbeat
    from agents a
    join efforts e on a.effort_id = e.id
    join tasks t on e.task_id = t.dir_path
    left join sessions s on s.id =
      (select max(o.id) from sessions o where o.effort_id = e.id and o.ended_at is null)`,
  // The latest skill has the highest ordinal.
  `create view task_summary as
    select t.*,
      (select count(*) from efforts e where e.task_id = t.dir_path and e.ordinal > 0) as effort_count,
      (select count(*) from efforts e
        where e.task_id = t.dir_path and e.ordinal > 0 and e.lifecycle = 'active') as active_count,
      (select e.skill from efforts e
        where e.task_id = t.dir_path and e.ordinal > 0 order by e.ordinal desc limit 1) as latest_skill,
      (select max(e.created_at) from efforts e
        where e.task_id = t.dir_path and e.ordinal > 0) as last_activity
    from tasks t`,
  // Skill names are unique per project, and an effort counts even if its skill is unknown.
  `create view active_efforts as
    select e.*, t.project_id, s.name as skill_name
    from efforts e
    join tasks t on e.task_id = t.dir_path
    left join skills s on s.name = e.skill and s.project_id = t.project_id
    where e.lifecycle = 'active' and e.ordinal > 0`,
  `create view stale_sessions as
    select s.*, t.dir_path as task_dir
    from sessions s
    join tasks t on s.task_id = t.dir_path
    where s.ended_at is null
      and coalesce(s.last_heartbeat, s.created_at) < ${spell.ago(`(select value from settings where name = 'stale_after_seconds')`)}`,
]
