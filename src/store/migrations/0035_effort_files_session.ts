import type { Tx } from '../query.ts'

/** Finds the files that a session left with efforts. */
export async function up(tx: Tx): Promise<void> {
  const sql = 'create index idx_effort_files_session on effort_files(session_id)'
  await tx.execute({ sql, parameters: [] })
}
