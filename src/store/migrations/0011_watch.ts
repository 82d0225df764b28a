import type { Tx } from '../query.ts'
import { SPELLINGS, staleSessionsAnew } from './dialect.ts'

/** Adds the state for session watches: context marks, stale sessions and the session gate. */
export async function up(tx: Tx): Promise<void> {
  const { integer } = SPELLINGS[tx.kind]
  const statements = [
    `alter table sessions add column context_told ${integer} not null default 0`,
    'alter table sessions add column stale_at text',
    `alter table projects add column session_gate ${integer} not null default 0 check (session_gate in (0, 1))`,
    // A partial index, because few sessions are open and unmarked.
    `create index idx_sessions_unmarked on sessions(last_heartbeat) where ended_at is null and stale_at is null`,
    ...staleSessionsAnew(tx.kind),
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
