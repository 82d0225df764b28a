import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Adds the files that a session changed for an effort which it then left for another one. */
export async function up(tx: Tx): Promise<void> {
  const { integer, end } = SPELLINGS[tx.kind]
  const sql = `create table effort_files (
    effort_id ${integer} not null references efforts (id),
    session_id ${integer} not null references sessions (id),
    files text not null,
    primary key (effort_id, session_id)
  ) ${end}`
  await tx.execute({ sql, parameters: [] })
}
