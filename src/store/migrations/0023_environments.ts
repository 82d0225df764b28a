import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Adds the environments that sessions began in. */
export async function up(tx: Tx): Promise<void> {
  const { end } = SPELLINGS[tx.kind]
  const sql = `create table environments (
      session_id text not null primary key,
      environment text not null,
      recorded_at text not null
    ) ${end}`
  await tx.execute({ sql, parameters: [] })
}
