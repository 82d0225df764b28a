import type { Tx } from '../query.ts'

/** How far plans are enforced, per project; null is the user's default. */
export async function up(tx: Tx): Promise<void> {
  await tx.execute({
    sql: `alter table projects add column level text check (level in ('observe', 'enforce', 'strict'))`,
    parameters: [],
  })
}
