import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Stores steps delegated to a sub-agent; they count when the sub-agent succeeds. */
export async function up(tx: Tx): Promise<void> {
  const { integer, end } = SPELLINGS[tx.kind]
  const statements = [
    `create table delegations (
      session_id text not null,
      call_id text not null,
      skill text not null,
      effort_id ${integer} references efforts(id) on delete cascade,
      steps text not null,
      agent_id text,
      stopped text,
      outcome text check (outcome in ('ok', 'failed')),
      created_at text not null,
      ended_at text,
      primary key (session_id, call_id, skill)
    ) ${end}`,
    // Every stop of a sub-agent queries this, and few have a delegated step.
    'create index idx_delegations_open on delegations(session_id) where ended_at is null',
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
