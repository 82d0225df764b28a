import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Adds bodies of work with their items, and what a worker is doing. */
export async function up(tx: Tx): Promise<void> {
  const { integer, end, now } = SPELLINGS[tx.kind]
  const statements = [
    `create table work_bodies (
      effort_id ${integer} not null primary key references efforts(id) on delete cascade,
      title text not null,
      last_position ${integer} not null default 0,
      last_number ${integer} not null default 0,
      created_at text not null default ${now}
    ) ${end}`,
    `create table work_items (
      effort_id ${integer} not null references work_bodies(effort_id) on delete cascade,
      item text not null,
      position ${integer} not null,
      title text not null,
      prompt text,
      skill text,
      phase text,
      files text,
      produces text,
      most_tries ${integer} not null check (most_tries > 0),
      model text,
      proof text,
      state text not null check (state in ('waiting', 'open', 'taken', 'done', 'failed', 'blocked')),
      needs_user ${integer} not null default 0 check (needs_user in (0, 1)),
      reason text,
      blocker text,
      worker text,
      fence ${integer} not null default 0,
      lease_until text,
      created_at text not null default ${now},
      ended_at text,
      primary key (effort_id, item),
      check ((state = 'taken') = (lease_until is not null))
    ) ${end}`,
    'create index idx_work_items_state on work_items(effort_id, state, position)',
    'create index idx_work_items_lease on work_items(lease_until)',
    `create table work_blockers (
      effort_id ${integer} not null references work_bodies(effort_id) on delete cascade,
      item text not null,
      blocker text not null,
      primary key (effort_id, item, blocker)
    ) ${end}`,
    'create index idx_work_blockers_blocker on work_blockers(effort_id, blocker, item)',
    `alter table workers add column effort_id ${integer} references efforts(id) on delete cascade`,
    'alter table workers add column item text',
    'alter table workers add column machine_id text',
    'alter table workers add column log text',
    'alter table workers add column reason text',
    'alter table workers add column stop_asked_at text',
    'alter table workers add column seen_at text',
    'create index idx_workers_effort on workers(effort_id, status)',
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
