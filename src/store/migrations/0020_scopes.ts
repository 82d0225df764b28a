import type { Tx } from '../query.ts'
import { staleSessionsAnew } from './dialect.ts'

/** Adds the scopes of sub-agents, and calls of skills that wait for their sub-agent. */
export async function up(tx: Tx): Promise<void> {
  const statements = [
    'alter table sessions add column scope_of text',
    'alter table delegations add column request text',
    'alter table delegations add column prompt_id text',
    // A partial index, because few sessions are scopes.
    'create index idx_sessions_scope on sessions(scope_of) where scope_of is not null',
    ...staleSessionsAnew(tx.kind),
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
