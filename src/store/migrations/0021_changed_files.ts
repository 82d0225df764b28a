import type { Tx } from '../query.ts'
import { staleSessionsAnew } from './dialect.ts'

/** Adds the files that the tools of a session wrote. */
export async function up(tx: Tx): Promise<void> {
  const statements = ['alter table sessions add column changed_files text', ...staleSessionsAnew(tx.kind)]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
