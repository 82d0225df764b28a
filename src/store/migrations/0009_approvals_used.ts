import type { Tx } from '../query.ts'

/** An approval is valid for one use; existing ones count as used. */
export async function up(tx: Tx): Promise<void> {
  const statements = [
    'alter table approvals add column used_at text',
    'update approvals set used_at = created_at',
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
