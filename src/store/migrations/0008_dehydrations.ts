import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Stores handover notes by effort, not by the session that ends. */
export async function up(tx: Tx): Promise<void> {
  const { integer, now, end } = SPELLINGS[tx.kind]
  await tx.execute({
    sql: `create table dehydrations (
      effort_id ${integer} not null references efforts(id) on delete cascade,
      author text not null check (author in ('agent', 'engine')),
      session_id ${integer} references sessions(id) on delete set null,
      payload text not null,
      cut text,
      created_at text not null default ${now},
      primary key (effort_id, author)
    ) ${end}`,
    parameters: [],
  })
}
