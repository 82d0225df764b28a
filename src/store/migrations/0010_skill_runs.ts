import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Adds the run folders of skills. */
export async function up(tx: Tx): Promise<void> {
  const { id, integer, now, end } = SPELLINGS[tx.kind]
  const statements = [
    `create table skill_runs (
      id ${id},
      project_id ${integer} not null references projects(id) on delete cascade,
      effort_id ${integer} references efforts(id) on delete set null,
      span_id text,
      skill text not null,
      args text not null,
      name text not null,
      created_at text not null default ${now},
      made_at text,
      unique (project_id, name)
    ) ${end}`,
    'create index idx_skill_runs_effort on skill_runs(effort_id)',
    'create index idx_skill_runs_span on skill_runs(span_id)',
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
