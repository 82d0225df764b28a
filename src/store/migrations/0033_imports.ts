import type { Tx } from '../query.ts'
import { staleSessionsAnew } from './dialect.ts'

/** Marks sessions that were read from transcripts of their client instead of recorded by hooks. */
export async function up(tx: Tx): Promise<void> {
  const statements = ['alter table sessions add column imported_at text', ...staleSessionsAnew(tx.kind)]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
