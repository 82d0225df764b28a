import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** What windows are watched for: how full they are, how long they have been silent, whether an effort must be active. */
export async function up(tx: Tx): Promise<void> {
  const { integer } = SPELLINGS[tx.kind]
  const since = SPELLINGS[tx.kind].ago(`(select value from settings where name = 'stale_after_seconds')`)
  const statements = [
    `alter table sessions add column context_told ${integer} not null default 0`,
    'alter table sessions add column stale_at text',
    `alter table projects add column session_gate ${integer} not null default 0 check (session_gate in (0, 1))`,
    // Those who are silent and not yet marked are few, however many sessions there are.
    `create index idx_sessions_unmarked on sessions(last_heartbeat) where ended_at is null and stale_at is null`,
    // A view of PostgreSQL keeps the columns that there were when it was made.
    'drop view stale_sessions',
    `create view stale_sessions as
      select s.*, t.dir_path as task_dir
      from sessions s
      join tasks t on s.task_id = t.dir_path
      where s.ended_at is null and coalesce(s.last_heartbeat, s.created_at) < ${since}`,
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
