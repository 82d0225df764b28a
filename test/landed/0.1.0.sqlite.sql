create table if not exists migrations (version integer not null primary key, name text not null, applied_at text not null);
create table projects (
    id integer primary key autoincrement,
    path text not null unique,
    name text,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict;
create table tasks (
    dir_path text not null primary key,
    project_id integer not null references projects(id),
    workspace text,
    title text,
    description text,
    keywords text,
    last_ordinal integer not null default 0,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict;
create table efforts (
    id integer primary key autoincrement,
    task_id text not null references tasks(dir_path) on delete cascade,
    skill text not null,
    mode text,
    ordinal integer not null,
    lifecycle text not null default 'active' check (lifecycle in ('active', 'finished')),
    current_phase text,
    discovered_directives text,
    discovered_directories text,
    metadata text,
    agent_id text,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    finished_at text,
    unique (task_id, ordinal),
    check ((lifecycle = 'finished') = (finished_at is not null))
  ) strict;
create table phase_history (
    id integer primary key autoincrement,
    effort_id integer not null references efforts(id) on delete cascade,
    phase_label text not null,
    proof text,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict;
create table sessions (
    id integer primary key autoincrement,
    task_id text not null references tasks(dir_path) on delete cascade,
    effort_id integer not null references efforts(id),
    prev_session_id integer references sessions(id),
    pid integer,
    heartbeat_counter integer not null default 0,
    last_heartbeat text,
    context_usage real,
    loaded_files text,
    dehydration_payload text,
    native_id text,
    client text,
    agent_id text,
    transcript_path text,
    transcript_offset integer not null default 0,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    ended_at text,
    ended_reason text,
    check ((ended_at is null) = (ended_reason is null))
  ) strict;
create table messages (
    id integer primary key autoincrement,
    session_id integer not null references sessions(id) on delete cascade,
    role text not null check (role in ('user', 'assistant', 'system', 'tool')),
    content text not null,
    tool_name text,
    timestamp text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict;
create table life_event (
    seq integer primary key autoincrement,
    id text not null unique,
    timestamp text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    skill text not null,
    phase text not null default '',
    event_type text not null default 'phase_enter',
    session_id text not null default '',
    payload text not null default '',
    effort_id integer,
    project_id integer,
    agent_id text
  ) strict;
create table skills (
    id integer primary key autoincrement,
    project_id integer not null references projects(id) on delete cascade,
    name text not null,
    phases text,
    modes text,
    templates text,
    cmd_dependencies text,
    next_skills text,
    directives text,
    updated_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    unique (project_id, name)
  ) strict;
create table embeddings (
    id integer primary key autoincrement,
    source_type text not null,
    source_path text not null,
    chunk_text text,
    embedding blob,
    updated_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict;
create table skill_span (
    span_id text not null primary key,
    skill text not null,
    parent_span_id text references skill_span(span_id),
    status text not null default 'active' check (status in ('active', 'suspended', 'completed')),
    first_step text,
    last_step text,
    steps text not null default '[]',
    started_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    suspended_at text,
    completed_at text,
    session_id text,
    effort_id integer references efforts(id) on delete cascade
  ) strict;
create table artifacts (
    id integer primary key autoincrement,
    effort_id integer references efforts(id) on delete cascade,
    span_id text references skill_span(span_id) on delete cascade,
    step text,
    name text not null,
    path text,
    evidence text,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    check (effort_id is not null or span_id is not null)
  ) strict;
create table step_visits (
    id integer primary key autoincrement,
    effort_id integer not null references efforts(id) on delete cascade,
    step text not null,
    attempts integer not null default 1,
    started_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    completed_at text,
    outcome text,
    unique (effort_id, step)
  ) strict;
create table continuations (
    id integer primary key autoincrement,
    project_id integer not null references projects(id) on delete cascade,
    effort_id integer references efforts(id) on delete cascade,
    position integer not null,
    skill text not null,
    args text,
    context text,
    status text not null default 'waiting'
      check (status in ('waiting', 'running', 'completed', 'failed', 'parked', 'dropped')),
    result text,
    on_error text,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict;
create table plan_state (
    effort_id integer not null references efforts(id) on delete cascade,
    name text not null,
    value text not null,
    updated_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    primary key (effort_id, name)
  ) strict;
create table approvals (
    id integer primary key autoincrement,
    effort_id integer not null references efforts(id) on delete cascade,
    kind text not null,
    subject text not null,
    reason text not null check (reason <> ''),
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict;
create table agents (
    id text not null primary key,
    label text,
    claims text,
    effort_id integer unique references efforts(id) on delete set null,
    registered_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict;
create table queue (
    id integer primary key autoincrement,
    project_id integer not null references projects(id) on delete cascade,
    effort_id integer references efforts(id) on delete cascade,
    kind text not null,
    content text not null,
    resolution text,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    resolved_at text
  ) strict;
create table workers (
    id text not null primary key,
    project_id integer not null references projects(id) on delete cascade,
    agent_id text references agents(id) on delete set null,
    task_id text references tasks(dir_path) on delete cascade,
    worktree text,
    branch text,
    pane text,
    pid integer,
    status text not null default 'starting' check (status in ('starting', 'running', 'stopped', 'failed')),
    attempts integer not null default 1,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    ended_at text
  ) strict;
create table leases (
    name text not null primary key,
    holder text not null,
    fence integer not null default 1,
    expires_at text not null
  ) strict;
create table idempotency_keys (
    key text not null primary key,
    method text not null,
    digest text not null,
    intent text,
    result text,
    created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict;
create table settings (
    name text not null primary key,
    value text not null
  ) strict;
create index idx_efforts_task_lifecycle on efforts(task_id, lifecycle);
create index idx_sessions_effort_ended on sessions(effort_id, ended_at);
create index idx_messages_session_ts on messages(session_id, timestamp);
create index idx_tasks_project on tasks(project_id);
create index idx_sessions_native on sessions(native_id, ended_at);
create unique index idx_sessions_open_native on sessions(native_id) where ended_at is null;
create index idx_sessions_agent on sessions(agent_id, ended_at);
create index idx_sessions_task on sessions(task_id);
create index idx_phase_history_effort on phase_history(effort_id, id);
create index idx_life_event_effort on life_event(effort_id, seq);
create index idx_skill_span_session on skill_span(session_id, status);
create index idx_skill_span_effort on skill_span(effort_id);
create index idx_artifacts_effort on artifacts(effort_id, name);
create index idx_continuations_project on continuations(project_id, status, position);
create index idx_approvals_effort on approvals(effort_id);
create index idx_queue_project on queue(project_id, resolved_at);
create index idx_embeddings_source on embeddings(source_type, source_path);
create index idx_idempotency_created on idempotency_keys(created_at);
create view fleet_status as
    select a.id as agent, a.label, e.skill, e.current_phase, s.heartbeat_counter, s.context_usage,
      e.id as effort_id, e.ordinal, e.task_id, t.project_id, s.id as session_id, s.last_heartbeat
    from agents a
    join efforts e on a.effort_id = e.id
    join tasks t on e.task_id = t.dir_path
    left join sessions s on s.id =
      (select max(o.id) from sessions o where o.effort_id = e.id and o.ended_at is null);
create view task_summary as
    select t.*,
      (select count(*) from efforts e where e.task_id = t.dir_path and e.ordinal > 0) as effort_count,
      (select count(*) from efforts e
        where e.task_id = t.dir_path and e.ordinal > 0 and e.lifecycle = 'active') as active_count,
      (select e.skill from efforts e
        where e.task_id = t.dir_path and e.ordinal > 0 order by e.ordinal desc limit 1) as latest_skill,
      (select max(e.created_at) from efforts e
        where e.task_id = t.dir_path and e.ordinal > 0) as last_activity
    from tasks t;
create view active_efforts as
    select e.*, t.project_id, s.name as skill_name
    from efforts e
    join tasks t on e.task_id = t.dir_path
    left join skills s on s.name = e.skill and s.project_id = t.project_id
    where e.lifecycle = 'active' and e.ordinal > 0;
create view stale_sessions as
    select s.*, t.dir_path as task_dir
    from sessions s
    join tasks t on s.task_id = t.dir_path
    where s.ended_at is null
      and coalesce(s.last_heartbeat, s.created_at) < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || (select value from settings where name = 'stale_after_seconds') || ' seconds');
alter table skills add column kind text;
alter table skills add column scope text;
alter table skills add column file text;
alter table skills add column folder text;
alter table skills add column digest text;
alter table skills add column description text;
alter table skills add column plan text;
alter table skills add column details text;
alter table skills add column diagnostics text;
create index idx_skills_folder on skills(project_id, folder);
alter table sessions add column open_calls text;
drop view stale_sessions;
create view stale_sessions as
      select s.*, t.dir_path as task_dir
      from sessions s
      join tasks t on s.task_id = t.dir_path
      where s.ended_at is null and coalesce(s.last_heartbeat, s.created_at) < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || (select value from settings where name = 'stale_after_seconds') || ' seconds');
alter table projects add column level text check (level in ('observe', 'enforce', 'strict'));
alter table artifacts add column rank text not null default 'claimed'
      check (rank in ('claimed', 'observed', 'proved'));
alter table artifacts add column digest text;
create unique index idx_artifacts_rank on artifacts(effort_id, name, rank);
create table evidence_runs (
      token text not null primary key,
      effort_id integer not null references efforts(id) on delete cascade,
      name text not null,
      command text not null,
      covers text not null,
      digest text,
      started_at text not null
    ) strict;
create table dehydrations (
      effort_id integer not null references efforts(id) on delete cascade,
      author text not null check (author in ('agent', 'engine')),
      session_id integer references sessions(id) on delete set null,
      payload text not null,
      cut text,
      created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      primary key (effort_id, author)
    ) strict;
alter table approvals add column used_at text;
create table skill_runs (
      id integer primary key autoincrement,
      project_id integer not null references projects(id) on delete cascade,
      effort_id integer references efforts(id) on delete set null,
      span_id text,
      skill text not null,
      args text not null,
      name text not null,
      created_at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
      made_at text,
      unique (project_id, name)
    ) strict;
create index idx_skill_runs_effort on skill_runs(effort_id);
create index idx_skill_runs_span on skill_runs(span_id);
alter table sessions add column context_told integer not null default 0;
alter table sessions add column stale_at text;
alter table projects add column session_gate integer not null default 0 check (session_gate in (0, 1));
create index idx_sessions_unmarked on sessions(last_heartbeat) where ended_at is null and stale_at is null;
drop view stale_sessions;
create view stale_sessions as
    select s.*, t.dir_path as task_dir
    from sessions s
    join tasks t on s.task_id = t.dir_path
    where s.ended_at is null and coalesce(s.last_heartbeat, s.created_at) <
      strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || (select value from settings where name = 'stale_after_seconds') || ' seconds');
alter table sessions add column told_directives text;
alter table messages add column native_id text;
drop view stale_sessions;
create view stale_sessions as
    select s.*, t.dir_path as task_dir
    from sessions s
    join tasks t on s.task_id = t.dir_path
    where s.ended_at is null and coalesce(s.last_heartbeat, s.created_at) <
      strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || (select value from settings where name = 'stale_after_seconds') || ' seconds');
create table delegations (
      session_id text not null,
      call_id text not null,
      skill text not null,
      effort_id integer references efforts(id) on delete cascade,
      steps text not null,
      agent_id text,
      stopped text,
      outcome text check (outcome in ('ok', 'failed')),
      created_at text not null,
      ended_at text,
      primary key (session_id, call_id, skill)
    ) strict;
create index idx_delegations_open on delegations(session_id) where ended_at is null;
alter table sessions add column transcript_at text;
drop view stale_sessions;
create view stale_sessions as
    select s.*, t.dir_path as task_dir
    from sessions s
    join tasks t on s.task_id = t.dir_path
    where s.ended_at is null and coalesce(s.last_heartbeat, s.created_at) <
      strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || (select value from settings where name = 'stale_after_seconds') || ' seconds');
pragma foreign_keys = off;
insert into agents (id, label, claims, effort_id, registered_at) values ('heron', 'Heron', null, 6, '2026-11-16T03:29:03.027Z');
insert into approvals (id, effort_id, kind, subject, reason, created_at, used_at) values (1, 6, 'phase', '2: Ship', 'A demo is due.', '2026-11-16T03:29:03.221Z', null);
insert into artifacts (id, effort_id, span_id, step, name, path, evidence, created_at, rank, digest) values (1, 6, null, null, 'plan', null, '{"claim":{"seen":true}}', '2026-11-16T03:29:03.185Z', 'claimed', null);
insert into dehydrations (effort_id, author, session_id, payload, cut, created_at) values (5, 'agent', 1, '{"summary":"Almost."}', null, '2026-11-16T03:29:03.118Z');
insert into dehydrations (effort_id, author, session_id, payload, cut, created_at) values (6, 'agent', null, '{"nextSteps":["ship"],"summary":"Half of it."}', null, '2026-11-16T03:29:03.227Z');
insert into delegations (session_id, call_id, skill, effort_id, steps, agent_id, stopped, outcome, created_at, ended_at) values ('landed-open', 'call-think', 'flow', 9, '["think"]', null, null, null, '2026-11-16T03:29:03.292Z', null);
insert into efforts (id, task_id, skill, mode, ordinal, lifecycle, current_phase, discovered_directives, discovered_directories, metadata, agent_id, created_at, finished_at) values (1, '{{folder}}/project/a', 'do', null, 0, 'active', null, null, null, null, null, '2026-11-16T03:29:03.018Z', null);
insert into efforts (id, task_id, skill, mode, ordinal, lifecycle, current_phase, discovered_directives, discovered_directories, metadata, agent_id, created_at, finished_at) values (2, '{{folder}}/project/b', 'do', null, 0, 'active', null, null, null, null, null, '2026-11-16T03:29:03.022Z', null);
insert into efforts (id, task_id, skill, mode, ordinal, lifecycle, current_phase, discovered_directives, discovered_directories, metadata, agent_id, created_at, finished_at) values (3, '{{folder}}/project/c', 'do', null, 0, 'active', null, null, null, null, null, '2026-11-16T03:29:03.024Z', null);
insert into efforts (id, task_id, skill, mode, ordinal, lifecycle, current_phase, discovered_directives, discovered_directories, metadata, agent_id, created_at, finished_at) values (4, '{{folder}}/project/login', 'do', null, 0, 'active', null, null, null, null, null, '2026-11-16T03:29:03.025Z', null);
insert into efforts (id, task_id, skill, mode, ordinal, lifecycle, current_phase, discovered_directives, discovered_directories, metadata, agent_id, created_at, finished_at) values (5, '{{folder}}/project/login', 'endure', null, 1, 'finished', '4: Ship', null, null, null, null, '2026-11-16T03:29:03.030Z', '2026-11-16T03:29:03.129Z');
insert into efforts (id, task_id, skill, mode, ordinal, lifecycle, current_phase, discovered_directives, discovered_directories, metadata, agent_id, created_at, finished_at) values (6, '{{folder}}/project/login', 'build', null, 2, 'active', '1: Build', null, null, null, 'heron', '2026-11-16T03:29:03.170Z', null);
insert into efforts (id, task_id, skill, mode, ordinal, lifecycle, current_phase, discovered_directives, discovered_directories, metadata, agent_id, created_at, finished_at) values (7, '{{folder}}/project/login', 'relay', null, 3, 'active', null, null, null, '{"args":"x"}', null, '2026-11-16T03:29:03.253Z', null);
insert into efforts (id, task_id, skill, mode, ordinal, lifecycle, current_phase, discovered_directives, discovered_directories, metadata, agent_id, created_at, finished_at) values (8, '{{folder}}/project', 'do', null, 0, 'active', null, null, null, null, null, '2026-11-16T03:29:03.264Z', null);
insert into efforts (id, task_id, skill, mode, ordinal, lifecycle, current_phase, discovered_directives, discovered_directories, metadata, agent_id, created_at, finished_at) values (9, '{{folder}}/project', 'flow', 'full', 1, 'active', null, null, null, '{"args":"a login page"}', null, '2026-11-16T03:29:03.275Z', null);
insert into evidence_runs (token, effort_id, name, command, covers, digest, started_at) values ('41cc4bb6e6e57be6100b190363889824bb26628cb205ce6b8ec8e23902264cd0', 6, 'tests', 'npm test', '["src/**"]', 'c1d6730aafbbe90bf14a1cac28901eff8528173af58ce1b6a262cfa964e8f45d', '2026-11-16T03:29:03.212Z');
insert into idempotency_keys (key, method, digest, intent, result, created_at) values ('landed-key', 'db.agents.register', 'fcc633e3974b33ff707aabf9eb02e8863fbff86a3294632c09f561e571a8625e', null, '{"id":"heron","label":"Heron","claims":[],"effort_id":null}', '2026-11-16T03:29:03.027Z');
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (1, '0mwipfcj80000r0h6zh89', '2026-11-16T03:29:02.515Z', '', '', 'project.registered', '', '{"path":"{{folder}}/project","name":"app"}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (2, '0mwipfcwg0000cjx1nxur', '2026-11-16T03:29:02.990Z', 'build', '', 'skill.changed', '', '{"file":"{{folder}}/project/.claude/skills/build/SKILL.md","digest":"c8698bddff2dc2797f19e84794bebac8002b2b1acdd2d2d8c1bffce134271c1b","errors":0}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (3, '0mwipfcwg0001hjjtqgki', '2026-11-16T03:29:02.990Z', 'dig', '', 'skill.changed', '', '{"file":"{{folder}}/project/.claude/skills/dig/SKILL.md","digest":"05308b3a7563d210d081a607092b17b991e15f155cf0319b9febbc78ba5b04b4","errors":0}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (4, '0mwipfcwg0002rcmnfwfi', '2026-11-16T03:29:02.990Z', 'flow', '', 'skill.changed', '', '{"file":"{{folder}}/project/.claude/skills/flow/SKILL.md","digest":"8c2719468cf9c997577424f40be07d132157549b00c492632712c2e24027c706","errors":0}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (5, '0mwipfcwg0003so5ct9h9', '2026-11-16T03:29:02.990Z', 'relay', '', 'skill.changed', '', '{"file":"{{folder}}/project/.claude/skills/relay/SKILL.md","digest":"98cba7be63b269e7783670490a5f2a28a63a0cda6ad8994dcfcc1181cf44dddd","errors":0}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (6, '0mwipfcwo0000nuf8b14x', '2026-11-16T03:29:02.998Z', 'endure', '', 'skill.changed', '', '', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (7, '0mwipfcx70000t2zwyljo', '2026-11-16T03:29:03.018Z', '', '', 'task.created', '', '{"dir_path":"{{folder}}/project/a"}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (8, '0mwipfcxb0000uhzjwqia', '2026-11-16T03:29:03.022Z', '', '', 'task.created', '', '{"dir_path":"{{folder}}/project/b"}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (9, '0mwipfcxc0000vnvy75vf', '2026-11-16T03:29:03.024Z', '', '', 'task.created', '', '{"dir_path":"{{folder}}/project/c"}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (10, '0mwipfcxd0000zc4e8ynv', '2026-11-16T03:29:03.025Z', '', '', 'task.created', '', '{"dir_path":"{{folder}}/project/login"}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (11, '0mwipfcxg00005p8bmr4w', '2026-11-16T03:29:03.027Z', '', '', 'agent.registered', '', '{"id":"heron","label":"Heron","claims":[],"effort_id":null}', null, null, 'heron');
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (12, '0mwipfcxj00000qrb2xfc', '2026-11-16T03:29:03.030Z', 'endure', '', 'effort.started', '', '{"task_id":"{{folder}}/project/login","ordinal":1}', 5, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (13, '0mwipfcxn00002p2qqxo0', '2026-11-16T03:29:03.034Z', '', '', 'session.started', '1', '', 5, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (14, '0mwipfcxx0000rqpn0e61', '2026-11-16T03:29:03.039Z', 'endure', '1: Plan', 'phase.entered', '', '{"from":null,"proof":{"done":false}}', 5, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (15, '0mwipfcyi00007j5k4raa', '2026-11-16T03:29:03.065Z', 'endure', '2: Build', 'phase.entered', '', '{"from":"1: Plan","proof":{"done":false}}', 5, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (16, '0mwipfcz10000jcs9elb5', '2026-11-16T03:29:03.085Z', 'endure', '3: Test', 'phase.entered', '', '{"from":"2: Build","proof":{"done":false}}', 5, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (17, '0mwipfcz90000qp2df2uz', '2026-11-16T03:29:03.093Z', 'endure', '4: Ship', 'phase.entered', '', '{"from":"3: Test","proof":{"done":false}}', 5, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (18, '0mwipfczg0000b478ojns', '2026-11-16T03:29:03.099Z', '', '', 'message.appended', '1', '{"message_id":1,"role":"user"}', 5, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (19, '0mwipfczz0000jjvkrt02', '2026-11-16T03:29:03.118Z', '', '', 'effort.dehydrated', '1', '{"author":"agent"}', 5, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (20, '0mwipfd050000pcjpdtst', '2026-11-16T03:29:03.118Z', '', '', 'session.ended', '1', '{"reason":"overflow"}', 5, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (21, '0mwipfd0d0000rlw4zwnr', '2026-11-16T03:29:03.129Z', 'endure', '4: Ship', 'effort.finished', '', '{"phases_not_entered":[]}', 5, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (22, '0mwipfd1e0000g3vq8bgq', '2026-11-16T03:29:03.170Z', 'build', '', 'effort.started', '', '{"task_id":"{{folder}}/project/login","ordinal":2}', 6, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (23, '0mwipfd1f00000ecgwsw0', '2026-11-16T03:29:03.170Z', 'build', '', 'agent.claimed', '', '', 6, 1, 'heron');
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (24, '0mwipfd1j0000l86r7qob', '2026-11-16T03:29:03.175Z', 'build', '1: Build', 'phase.entered', '', '{"from":null}', 6, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (25, '0mwipfd1u0000si4osppi', '2026-11-16T03:29:03.185Z', 'build', '', 'artifact.recorded', '', '{"name":"plan","rank":"claimed"}', 6, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (26, '0mwipfd2l0000t2oyan09', '2026-11-16T03:29:03.212Z', 'build', '', 'evidence.begun', '', '{"name":"tests","command":"npm test","files":1}', 6, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (27, '0mwipfd2p0000qps07b6k', '2026-11-16T03:29:03.217Z', 'build', '2', 'phase.refused', '', '{"from":"1: Build","reason":"Phase \"1: Build\" cannot be left without proof of: tests, blocks. A word is not enough for tests: the plan wants npm test run."}', 6, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (28, '0mwipfd2x00006297weeg', '2026-11-16T03:29:03.221Z', 'build', '2: Ship', 'approval.given', '', '{"approval_id":1,"kind":"phase","reason":"A demo is due."}', 6, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (29, '0mwipfd340000bcvxu4k9', '2026-11-16T03:29:03.227Z', '', '', 'effort.dehydrated', '', '{"author":"agent"}', 6, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (30, '0mwipfd360000oz427swz', '2026-11-16T03:29:03.234Z', '', '', 'queue.added', '', '{"item":1,"kind":"question"}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (31, '0mwipfd3b00004h3vp0bp', '2026-11-16T03:29:03.238Z', '', '', 'queue.added', '', '{"item":2,"kind":"observation"}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (32, '0mwipfd3h0000afs39mav', '2026-11-16T03:29:03.245Z', '', '', 'queue.resolved', '', '{"item":2,"resolution":"Mended."}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (33, '0mwipfd3q000036acb5cc', '2026-11-16T03:29:03.253Z', 'relay', '', 'effort.started', '', '{"task_id":"{{folder}}/project/login","ordinal":3}', 7, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (34, '0mwipfd3s000033vy09f8', '2026-11-16T03:29:03.256Z', 'relay', 'a', 'step.started', '', '{"attempt":1}', 7, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (35, '0mwipfd4100005jsho6y0', '2026-11-16T03:29:03.264Z', '', '', 'task.created', '', '{"dir_path":"{{folder}}/project"}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (36, '0mwipfd410001smmop3wk', '2026-11-16T03:29:03.264Z', '', '', 'session.started', '2', '', 8, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (37, '0mwipfd4d00006qeavd8x', '2026-11-16T03:29:03.275Z', 'flow', '', 'effort.started', '', '{"task_id":"{{folder}}/project","ordinal":1}', 9, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (38, '0mwipfd4d00023r7dn6ch', '2026-11-16T03:29:03.275Z', 'flow', '', 'span.opened', '2', '{"span_id":"0mwipfd4d00017y97efdg","mode":"full","args":"a login page"}', 9, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (39, '0mwipfd4e0000pjfioddb', '2026-11-16T03:29:03.275Z', '', '', 'session.switched', '2', '{"from_effort":8}', 9, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (40, '0mwipfd4m0000e13evdhs', '2026-11-16T03:29:03.284Z', 'flow', 'do', 'step.refused', '2', '{"rule":"step-gate","reason":"Step do needs idea (from think). Do step look first: read {{folder}}/project/.claude/skills/flow/steps/look.md, then read {{folder}}/project/.claude/skills/flow/steps/do.md again."}', 9, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (41, '0mwipfd4r0000a43gq1u3', '2026-11-16T03:29:03.290Z', 'flow', 'look', 'step.visited', '2', '{"span_id":"0mwipfd4d00017y97efdg"}', 9, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (42, '0mwipfd4u0000hcw2w8l8', '2026-11-16T03:29:03.292Z', 'flow', 'think', 'step.delegated', '2', '{"call":"call-think"}', 9, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (43, '0mwipfd540000b7hz3gwr', '2026-11-16T03:29:03.303Z', '', '', 'session.started', '3', '', 8, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (44, '0mwipfd5d0001g7iuv6ro', '2026-11-16T03:29:03.313Z', 'dig', '', 'span.opened', '3', '{"span_id":"0mwipfd5d0000o8edj2xc","mode":"full","args":"the well"}', null, 1, null);
insert into life_event (seq, id, timestamp, skill, phase, event_type, session_id, payload, effort_id, project_id, agent_id) values (45, '0mwipfd5e0000o3pzgq42', '2026-11-16T03:29:03.313Z', 'dig', '', 'run.started', '3', '{"run":"2026-11-16-dig-the-well","path":"{{folder}}/project/.holdfast/runs/2026-11-16-dig-the-well"}', null, 1, null);
insert into messages (id, session_id, role, content, tool_name, timestamp, native_id) values (1, 1, 'user', 'Ship it.', null, '2026-11-16T03:29:03.099Z', null);
insert into messages (id, session_id, role, content, tool_name, timestamp, native_id) values (2, 2, 'user', '/flow a login page', null, '2026-11-16T03:29:03.275Z', null);
insert into messages (id, session_id, role, content, tool_name, timestamp, native_id) values (3, 2, 'tool', '{"file_path":"{{folder}}/project/.claude/skills/flow/steps/do.md"} → refused: Step do needs idea (from think). Do step look first: read {{folder}}/project/.claude/skills/flow/steps/look.md, then read {{folder}}/project/.claude/skills/flow/steps/do.md again.', 'Read', '2026-11-16T03:29:03.284Z', 'read-do');
insert into messages (id, session_id, role, content, tool_name, timestamp, native_id) values (4, 2, 'tool', '{"file_path":"{{folder}}/project/.claude/skills/flow/steps/look.md"} → {}', 'Read', '2026-11-16T03:29:03.290Z', 'read-look');
insert into messages (id, session_id, role, content, tool_name, timestamp, native_id) values (5, 3, 'user', '/dig the well', null, '2026-11-16T03:29:03.313Z', null);
insert into migrations (version, name, applied_at) values (1, '0001_init', '2026-11-16T03:28:58.725Z');
insert into migrations (version, name, applied_at) values (2, '0002_skill_files', '2026-11-16T03:28:58.752Z');
insert into migrations (version, name, applied_at) values (3, '0003_open_calls', '2026-11-16T03:28:58.779Z');
insert into migrations (version, name, applied_at) values (4, '0004_levels', '2026-11-16T03:28:58.789Z');
insert into migrations (version, name, applied_at) values (5, '0006_evidence', '2026-11-16T03:28:58.808Z');
insert into migrations (version, name, applied_at) values (6, '0008_dehydrations', '2026-11-16T03:28:58.809Z');
insert into migrations (version, name, applied_at) values (7, '0009_approvals_used', '2026-11-16T03:28:58.819Z');
insert into migrations (version, name, applied_at) values (8, '0010_skill_runs', '2026-11-16T03:28:58.827Z');
insert into migrations (version, name, applied_at) values (9, '0011_watch', '2026-11-16T03:28:58.830Z');
insert into migrations (version, name, applied_at) values (10, '0012_memory', '2026-11-16T03:28:58.832Z');
insert into migrations (version, name, applied_at) values (11, '0013_delegations', '2026-11-16T03:28:58.832Z');
insert into migrations (version, name, applied_at) values (12, '0014_transcript_at', '2026-11-16T03:28:58.834Z');
insert into phase_history (id, effort_id, phase_label, proof, created_at) values (1, 5, '1: Plan', '{"done":false}', '2026-11-16T03:29:03.039Z');
insert into phase_history (id, effort_id, phase_label, proof, created_at) values (2, 5, '2: Build', '{"done":false}', '2026-11-16T03:29:03.065Z');
insert into phase_history (id, effort_id, phase_label, proof, created_at) values (3, 5, '3: Test', '{"done":false}', '2026-11-16T03:29:03.085Z');
insert into phase_history (id, effort_id, phase_label, proof, created_at) values (4, 5, '4: Ship', '{"done":false}', '2026-11-16T03:29:03.093Z');
insert into phase_history (id, effort_id, phase_label, proof, created_at) values (5, 6, '1: Build', null, '2026-11-16T03:29:03.175Z');
insert into plan_state (effort_id, name, value, updated_at) values (5, 'progress', '{"digest":"","visited":["1","2","3","4"],"progress":{"status":"running","current":["4"],"open":[],"visits":{"1":{"attempts":1,"outcome":"ok"},"2":{"attempts":1,"outcome":"ok"},"3":{"attempts":1,"outcome":"ok"},"4":{"attempts":1}}}}', '2026-11-16T03:29:03.093Z');
insert into plan_state (effort_id, name, value, updated_at) values (6, 'progress', '{"digest":"c8698bddff2dc2797f19e84794bebac8002b2b1acdd2d2d8c1bffce134271c1b","visited":["1"],"progress":{"status":"running","current":["1"],"open":[],"visits":{"1":{"attempts":1}}}}', '2026-11-16T03:29:03.175Z');
insert into plan_state (effort_id, name, value, updated_at) values (7, 'progress', '{"digest":"98cba7be63b269e7783670490a5f2a28a63a0cda6ad8994dcfcc1181cf44dddd","visited":["a"],"progress":{"status":"running","current":["a"],"open":[],"visits":{"a":{"attempts":1}}}}', '2026-11-16T03:29:03.256Z');
insert into plan_state (effort_id, name, value, updated_at) values (9, 'progress', '{"digest":"8c2719468cf9c997577424f40be07d132157549b00c492632712c2e24027c706","visited":["look"],"progress":{"status":"running","current":["look"],"open":[],"visits":{"look":{"attempts":1}}}}', '2026-11-16T03:29:03.290Z');
insert into projects (id, path, name, created_at, level, session_gate) values (1, '{{folder}}/project', 'app', '2026-11-16T03:29:02.515Z', null, 0);
insert into queue (id, project_id, effort_id, kind, content, resolution, created_at, resolved_at) values (1, 1, null, 'question', 'Look at the log.', null, '2026-11-16T03:29:03.234Z', null);
insert into queue (id, project_id, effort_id, kind, content, resolution, created_at, resolved_at) values (2, 1, null, 'observation', 'A typo.', 'Mended.', '2026-11-16T03:29:03.238Z', '2026-11-16T03:29:03.245Z');
insert into sessions (id, task_id, effort_id, prev_session_id, pid, heartbeat_counter, last_heartbeat, context_usage, loaded_files, dehydration_payload, native_id, client, agent_id, transcript_path, transcript_offset, created_at, ended_at, ended_reason, open_calls, context_told, stale_at, told_directives, transcript_at) values (1, '{{folder}}/project/login', 5, null, null, 1, '2026-11-16T03:29:03.110Z', 0.5, '["/etc/hosts"]', '{"summary":"Almost."}', 'landed-ended', null, null, null, 0, '2026-11-16T03:29:03.034Z', '2026-11-16T03:29:03.118Z', 'overflow', null, 0, null, null, null);
insert into sessions (id, task_id, effort_id, prev_session_id, pid, heartbeat_counter, last_heartbeat, context_usage, loaded_files, dehydration_payload, native_id, client, agent_id, transcript_path, transcript_offset, created_at, ended_at, ended_reason, open_calls, context_told, stale_at, told_directives, transcript_at) values (2, '{{folder}}/project', 9, null, null, 3, '2026-11-16T03:29:03.292Z', null, '["{{folder}}/project/.claude/skills/flow/steps/look.md"]', null, 'landed-open', 'claude-code', null, null, 0, '2026-11-16T03:29:03.264Z', null, null, '[{"id":"call-think","tool":"Task","what":"reviewer","at":"2026-11-16T03:29:03.292Z"}]', 0, null, null, null);
insert into sessions (id, task_id, effort_id, prev_session_id, pid, heartbeat_counter, last_heartbeat, context_usage, loaded_files, dehydration_payload, native_id, client, agent_id, transcript_path, transcript_offset, created_at, ended_at, ended_reason, open_calls, context_told, stale_at, told_directives, transcript_at) values (3, '{{folder}}/project', 8, null, null, 0, '2026-11-16T03:29:03.313Z', null, null, null, 'landed-digging', 'claude-code', null, null, 0, '2026-11-16T03:29:03.303Z', null, null, null, 0, null, null, null);
insert into settings (name, value) values ('stale_after_seconds', '300');
insert into skill_runs (id, project_id, effort_id, span_id, skill, args, name, created_at, made_at) values (1, 1, null, '0mwipfd5d0000o8edj2xc', 'dig', 'the well', '2026-11-16-dig-the-well', '2026-11-16T03:29:03.313Z', '2026-11-16T03:29:03.322Z');
insert into skill_span (span_id, skill, parent_span_id, status, first_step, last_step, steps, started_at, suspended_at, completed_at, session_id, effort_id) values ('0mwipfd4d00017y97efdg', 'flow', null, 'active', 'look', 'look', '["look"]', '2026-11-16T03:29:03.275Z', null, null, 'landed-open', 9);
insert into skill_span (span_id, skill, parent_span_id, status, first_step, last_step, steps, started_at, suspended_at, completed_at, session_id, effort_id) values ('0mwipfd5d0000o8edj2xc', 'dig', null, 'active', null, null, '[]', '2026-11-16T03:29:03.313Z', null, null, 'landed-digging', null);
insert into skills (id, project_id, name, phases, modes, templates, cmd_dependencies, next_skills, directives, updated_at, kind, scope, file, folder, digest, description, plan, details, diagnostics) values (1, 1, 'build', '[{"label":"1","name":"Build","proof":["tests","blocks"]},{"label":"2","name":"Ship"}]', '{}', '{}', '[]', '[]', '[]', '2026-11-16T03:29:02.990Z', 'skill', 'project', '{{folder}}/project/.claude/skills/build/SKILL.md', '{{folder}}/project/.claude/skills/build', 'c8698bddff2dc2797f19e84794bebac8002b2b1acdd2d2d8c1bffce134271c1b', 'Does build.', '{"notation":"phases","explicit":true,"gate":"visited","entry":["1"],"steps":[{"id":"1","label":"1","title":"Build","optional":false,"consumes":[],"produces":[],"proof":["tests","blocks"],"place":{"file":"{{folder}}/project/.claude/skills/build/holdfast.yaml","line":2,"column":5},"next":{"ok":["2"]}},{"id":"2","label":"2","title":"Ship","optional":false,"consumes":[],"produces":[],"proof":[],"place":{"file":"{{folder}}/project/.claude/skills/build/holdfast.yaml","line":3,"column":5},"next":{"ok":[]}}],"demands":{"tests":{"rank":"proved","command":"npm test","covers":["src/**"]}}}', '{"alias":"build","notation":"phases","steps":2,"enforceable":true,"errors":0,"warnings":0,"user_invocable":true,"argument_hint":null,"allowed_tools":[],"required_todos":["Build","Ship"],"heartbeat":null,"uses_skill_run":false,"stage":null}', '[]');
insert into skills (id, project_id, name, phases, modes, templates, cmd_dependencies, next_skills, directives, updated_at, kind, scope, file, folder, digest, description, plan, details, diagnostics) values (2, 1, 'dig', '[]', '{}', '{}', '[]', '[]', '[]', '2026-11-16T03:29:02.990Z', 'skill', 'project', '{{folder}}/project/.claude/skills/dig/SKILL.md', '{{folder}}/project/.claude/skills/dig', '05308b3a7563d210d081a607092b17b991e15f155cf0319b9febbc78ba5b04b4', 'Does dig.', null, '{"alias":"dig","notation":null,"steps":0,"enforceable":false,"errors":0,"warnings":0,"user_invocable":true,"argument_hint":null,"allowed_tools":[],"required_todos":[],"heartbeat":null,"uses_skill_run":true,"stage":null}', '[{"code":"HF111","severity":"info","message":"The field uses-skill-run is not one of the standard.","file":"{{folder}}/project/.claude/skills/dig/SKILL.md","line":4,"column":1,"hint":"Put what is for the engine into holdfast.yaml, and what is for people below metadata."}]');
insert into skills (id, project_id, name, phases, modes, templates, cmd_dependencies, next_skills, directives, updated_at, kind, scope, file, folder, digest, description, plan, details, diagnostics) values (3, 1, 'flow', '[]', '{}', '{}', '[]', '[]', '[]', '2026-11-16T03:29:02.990Z', 'skill', 'project', '{{folder}}/project/.claude/skills/flow/SKILL.md', '{{folder}}/project/.claude/skills/flow', '8c2719468cf9c997577424f40be07d132157549b00c492632712c2e24027c706', 'Does flow.', '{"notation":"steps","explicit":true,"gate":"visited","entry":[],"steps":[{"id":"look","label":"look","title":"look","optional":false,"consumes":["user-request"],"produces":["view"],"proof":[],"place":{"file":"{{folder}}/project/.claude/skills/flow/steps/look.md","line":2,"column":1}},{"id":"think","label":"think","title":"think","optional":false,"consumes":["view"],"produces":["idea"],"proof":[],"place":{"file":"{{folder}}/project/.claude/skills/flow/steps/think.md","line":2,"column":1}},{"id":"do","label":"do","title":"do","optional":false,"consumes":["idea"],"produces":["result"],"proof":[],"place":{"file":"{{folder}}/project/.claude/skills/flow/steps/do.md","line":2,"column":1}}]}', '{"alias":"flow","notation":"steps","steps":3,"enforceable":true,"errors":0,"warnings":0,"user_invocable":true,"argument_hint":null,"allowed_tools":[],"required_todos":[],"heartbeat":null,"uses_skill_run":false,"stage":null}', '[]');
insert into skills (id, project_id, name, phases, modes, templates, cmd_dependencies, next_skills, directives, updated_at, kind, scope, file, folder, digest, description, plan, details, diagnostics) values (4, 1, 'relay', '[]', '{}', '{}', '[]', '[]', '[]', '2026-11-16T03:29:02.990Z', 'skill', 'project', '{{folder}}/project/.claude/skills/relay/SKILL.md', '{{folder}}/project/.claude/skills/relay', '98cba7be63b269e7783670490a5f2a28a63a0cda6ad8994dcfcc1181cf44dddd', 'Does relay.', '{"notation":"workflow","explicit":true,"gate":"produced","entry":["a"],"steps":[{"id":"a","label":"a","title":"a","optional":false,"consumes":[],"produces":[],"proof":[],"runs":{"kind":"prompt","prompt":"do a"},"limit":2,"place":{"file":"{{folder}}/project/.claude/skills/relay/holdfast.yaml","line":1,"column":12},"next":{"ok":["b"],"fail":["a"]}},{"id":"b","label":"b","title":"b","optional":false,"consumes":[],"produces":[],"proof":[],"runs":{"kind":"prompt","prompt":"do b"},"limit":2,"place":{"file":"{{folder}}/project/.claude/skills/relay/holdfast.yaml","line":1,"column":35},"next":{"ok":[],"fail":["b"]}}]}', '{"alias":"relay","notation":"workflow","steps":2,"enforceable":true,"errors":0,"warnings":0,"user_invocable":true,"argument_hint":null,"allowed_tools":[],"required_todos":[],"heartbeat":null,"uses_skill_run":false,"stage":null}', '[]');
insert into skills (id, project_id, name, phases, modes, templates, cmd_dependencies, next_skills, directives, updated_at, kind, scope, file, folder, digest, description, plan, details, diagnostics) values (5, 1, 'endure', '[{"label":"1","name":"Plan"},{"label":"2","name":"Build"},{"label":"3","name":"Test"},{"label":"4","name":"Ship"}]', null, null, null, null, null, '2026-11-16T03:29:02.998Z', null, null, null, null, null, null, null, null, null);
insert into step_visits (id, effort_id, step, attempts, started_at, completed_at, outcome) values (1, 5, '1', 1, '2026-11-16T03:29:03.039Z', '2026-11-16T03:29:03.065Z', 'ok');
insert into step_visits (id, effort_id, step, attempts, started_at, completed_at, outcome) values (3, 5, '2', 1, '2026-11-16T03:29:03.065Z', '2026-11-16T03:29:03.085Z', 'ok');
insert into step_visits (id, effort_id, step, attempts, started_at, completed_at, outcome) values (5, 5, '3', 1, '2026-11-16T03:29:03.085Z', '2026-11-16T03:29:03.093Z', 'ok');
insert into step_visits (id, effort_id, step, attempts, started_at, completed_at, outcome) values (7, 5, '4', 1, '2026-11-16T03:29:03.093Z', null, null);
insert into step_visits (id, effort_id, step, attempts, started_at, completed_at, outcome) values (8, 6, '1', 1, '2026-11-16T03:29:03.175Z', null, null);
insert into step_visits (id, effort_id, step, attempts, started_at, completed_at, outcome) values (9, 7, 'a', 1, '2026-11-16T03:29:03.256Z', null, null);
insert into step_visits (id, effort_id, step, attempts, started_at, completed_at, outcome) values (10, 9, 'look', 1, '2026-11-16T03:29:03.290Z', null, null);
insert into tasks (dir_path, project_id, workspace, title, description, keywords, last_ordinal, created_at) values ('{{folder}}/project', 1, null, null, null, null, 1, '2026-11-16T03:29:03.264Z');
insert into tasks (dir_path, project_id, workspace, title, description, keywords, last_ordinal, created_at) values ('{{folder}}/project/a', 1, null, 'Task a', null, null, 0, '2026-11-16T03:29:03.018Z');
insert into tasks (dir_path, project_id, workspace, title, description, keywords, last_ordinal, created_at) values ('{{folder}}/project/b', 1, null, 'Task b', null, null, 0, '2026-11-16T03:29:03.022Z');
insert into tasks (dir_path, project_id, workspace, title, description, keywords, last_ordinal, created_at) values ('{{folder}}/project/c', 1, null, 'Task c', null, null, 0, '2026-11-16T03:29:03.024Z');
insert into tasks (dir_path, project_id, workspace, title, description, keywords, last_ordinal, created_at) values ('{{folder}}/project/login', 1, null, 'Task login', null, 'login, ship', 3, '2026-11-16T03:29:03.025Z');
update sqlite_sequence set seq = 1 where name = 'projects';
update sqlite_sequence set seq = 45 where name = 'life_event';
update sqlite_sequence set seq = 5 where name = 'skills';
update sqlite_sequence set seq = 9 where name = 'efforts';
update sqlite_sequence set seq = 3 where name = 'sessions';
update sqlite_sequence set seq = 10 where name = 'step_visits';
update sqlite_sequence set seq = 5 where name = 'phase_history';
update sqlite_sequence set seq = 5 where name = 'messages';
update sqlite_sequence set seq = 1 where name = 'artifacts';
update sqlite_sequence set seq = 1 where name = 'approvals';
update sqlite_sequence set seq = 2 where name = 'queue';
update sqlite_sequence set seq = 1 where name = 'skill_runs';
