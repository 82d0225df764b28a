import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Makes continuations the frames of chains; the number of a chain is the id of its first frame. */
export async function up(tx: Tx): Promise<void> {
  const { integer } = SPELLINGS[tx.kind]
  const statements = [
    `alter table continuations add column chain_id ${integer} not null default 0`,
    'alter table continuations add column task_id text',
    'alter table continuations add column session_id text',
    `alter table continuations add column call text check (call in ('tail', 'nested'))`,
    `alter table continuations add column level text not null default 'wrapped'
      check (level in ('cooperative', 'wrapped', 'explicit'))`,
    'alter table continuations add column reason text',
    `alter table continuations add column parent ${integer}`,
    'alter table continuations add column asked_at text',
    'alter table continuations add column started_at text',
    'alter table continuations add column ended_at text',
    'create index idx_continuations_chain on continuations(chain_id, position)',
    'create index idx_continuations_session on continuations(session_id, status)',
    'create index idx_continuations_task on continuations(task_id, status)',
    'create index idx_continuations_effort on continuations(effort_id, status)',
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
