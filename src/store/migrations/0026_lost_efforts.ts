import type { Tx } from '../query.ts'
import { staleSessionsAnew } from './dialect.ts'

/** Adds the efforts that a session lost while it served another one, until the session hears of it. */
export async function up(tx: Tx): Promise<void> {
  const statements = ['alter table sessions add column lost_efforts text', ...staleSessionsAnew(tx.kind)]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
