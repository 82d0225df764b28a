import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** What an artifact's record is worth and what its files were; and the runs whose end nobody has told yet. */
export async function up(tx: Tx): Promise<void> {
  const { integer, end } = SPELLINGS[tx.kind]
  const statements = [
    `alter table artifacts add column rank text not null default 'claimed'
      check (rank in ('claimed', 'observed', 'proved'))`,
    'alter table artifacts add column digest text',
    // A word of the agent must not take the place of what was proved, so there is one row for each rank.
    'create unique index idx_artifacts_rank on artifacts(effort_id, name, rank)',
    `create table evidence_runs (
      token text not null primary key,
      effort_id ${integer} not null references efforts(id) on delete cascade,
      name text not null,
      command text not null,
      covers text not null,
      digest text,
      started_at text not null
    ) ${end}`,
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
