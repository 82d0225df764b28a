import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Adds what workflow modules export, by the digest of the code that the user trusts. */
export async function up(tx: Tx): Promise<void> {
  const sql = `create table trusted_modules (
    digest text primary key,
    skill text not null,
    exported text not null,
    texts text not null,
    created_at text not null
  ) ${SPELLINGS[tx.kind].end}`
  await tx.execute({ sql, parameters: [] })
}
