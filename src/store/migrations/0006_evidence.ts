import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Adds rank and digest of artifacts, and open evidence runs. */
export async function up(tx: Tx): Promise<void> {
  const { integer, end } = SPELLINGS[tx.kind]
  const statements = [
    `alter table artifacts add column rank text not null default 'claimed'
      check (rank in ('claimed', 'observed', 'proved'))`,
    'alter table artifacts add column digest text',
    // One row per rank, so that a claim never replaces a proof.
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
