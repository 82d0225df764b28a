import type { Tx } from '../query.ts'

/** An approval is good for one use; those that there are were used when they were given. */
export async function up(tx: Tx): Promise<void> {
  const statements = [
    'alter table approvals add column used_at text',
    'update approvals set used_at = created_at',
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
