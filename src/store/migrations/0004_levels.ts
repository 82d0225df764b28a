import type { Tx } from '../query.ts'

/** Adds the enforcement level of a project; null means the default. */
export async function up(tx: Tx): Promise<void> {
  await tx.execute({
    sql: `alter table projects add column level text check (level in ('observe', 'enforce', 'strict'))`,
    parameters: [],
  })
}
