import type { Tx } from '../query.ts'

/** A skill is read from files: which, what they said, and what is wrong with them. */
export async function up(tx: Tx): Promise<void> {
  const columns = ['kind', 'scope', 'file', 'digest', 'description', 'plan', 'details', 'diagnostics']
  for (const column of columns)
    await tx.execute({ sql: `alter table skills add column ${column} text`, parameters: [] })
}
