import type { Tx } from '../query.ts'
import { SPELLINGS, staleSessionsAnew } from './dialect.ts'

/** What windows are watched for: how full they are, how long they have been silent, whether an effort must be active. */
export async function up(tx: Tx): Promise<void> {
  const { integer } = SPELLINGS[tx.kind]
  const statements = [
    `alter table sessions add column context_told ${integer} not null default 0`,
    'alter table sessions add column stale_at text',
    `alter table projects add column session_gate ${integer} not null default 0 check (session_gate in (0, 1))`,
    // Those who are silent and not yet marked are few, however many sessions there are.
    `create index idx_sessions_unmarked on sessions(last_heartbeat) where ended_at is null and stale_at is null`,
    ...staleSessionsAnew(tx.kind),
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
