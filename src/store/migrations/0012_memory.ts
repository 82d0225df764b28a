import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** What a window was told of its directives, and which of a client's own entries a message is. */
export async function up(tx: Tx): Promise<void> {
  const since = SPELLINGS[tx.kind].ago(`(select value from settings where name = 'stale_after_seconds')`)
  const statements = [
    'alter table sessions add column told_directives text',
    'alter table messages add column native_id text',
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
