import type { Tx } from '../query.ts'

/** Adds what efforts end with. */
export async function up(tx: Tx): Promise<void> {
  const statements = [
    'alter table efforts add column result text',
    // A PostgreSQL view keeps the columns from when it was created.
    'drop view active_efforts',
    `create view active_efforts as
      select e.*, t.project_id, s.name as skill_name
      from efforts e
      join tasks t on e.task_id = t.dir_path
      left join skills s on s.name = e.skill and s.workplace_id = e.workplace_id
      where e.lifecycle = 'active' and e.ordinal > 0`,
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
