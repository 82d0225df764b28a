import type { Tx } from '../query.ts'
import { staleSessionsAnew } from './dialect.ts'

/** Adds the directives that a session was given, and the client's id of a message. */
export async function up(tx: Tx): Promise<void> {
  const statements = [
    'alter table sessions add column told_directives text',
    'alter table messages add column native_id text',
    ...staleSessionsAnew(tx.kind),
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
