import type { Tx } from '../query.ts'

/** Adds the words that a skill was called with; efforts that no call started have none. */
export async function up(tx: Tx): Promise<void> {
  const args = tx.kind === 'sqlite' ? `json_extract(metadata, '$.args')` : `(metadata::json ->> 'args')`
  const statements = [
    'alter table efforts add column request text',
    // Until now, calls put their efforts into the root of the project.
    `update efforts set request = '' where ordinal > 0 and task_id in (select path from projects)`,
    String.raw`update efforts set request = ${args}
      where metadata like '%"args":"%' and metadata not like '%\\u0000%'`,
    // A PostgreSQL view keeps the columns from when it was created.
    'drop view active_efforts',
    `create view active_efforts as
      select e.*, t.project_id, s.name as skill_name
      from efforts e
      join tasks t on e.task_id = t.dir_path
      left join skills s on s.name = e.skill and s.project_id = t.project_id
      where e.lifecycle = 'active' and e.ordinal > 0`,
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
