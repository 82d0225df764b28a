import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Stores the open tool calls of a session, in case its client is killed. */
export async function up(tx: Tx): Promise<void> {
  const ago = SPELLINGS[tx.kind].ago(`(select value from settings where name = 'stale_after_seconds')`)
  const statements = [
    'alter table sessions add column open_calls text',
    // A PostgreSQL view keeps the columns from when it was created.
    'drop view stale_sessions',
    `create view stale_sessions as
      select s.*, t.dir_path as task_dir
      from sessions s
      join tasks t on s.task_id = t.dir_path
      where s.ended_at is null and coalesce(s.last_heartbeat, s.created_at) < ${ago}`,
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
