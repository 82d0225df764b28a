import type { Tx } from '../query.ts'
import { staleSessionsAnew } from './dialect.ts'

/** When a window last looked how long its client's transcript is: what was told before is not in the rest of it. */
export async function up(tx: Tx): Promise<void> {
  const statements = ['alter table sessions add column transcript_at text', ...staleSessionsAnew(tx.kind)]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
