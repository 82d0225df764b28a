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
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
