import type { Tx } from '../query.ts'
import { staleSessionsAnew } from './dialect.ts'

/** Adds when a session last read the transcript length; the rest has only later messages. */
export async function up(tx: Tx): Promise<void> {
  const statements = ['alter table sessions add column transcript_at text', ...staleSessionsAnew(tx.kind)]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
