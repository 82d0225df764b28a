import type { Tx } from '../query.ts'
import { staleSessionsAnew } from './dialect.ts'

/** Adds the todo list of a client's session. */
export async function up(tx: Tx): Promise<void> {
  const statements = ['alter table sessions add column todos text', ...staleSessionsAnew(tx.kind)]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
