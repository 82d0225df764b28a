import type { Tx } from '../query.ts'

/** Allows the level `locked`; a check can be replaced only together with its column. */
export async function up(tx: Tx): Promise<void> {
  const statements = [
    `alter table projects add column level_anew text check (level_anew in ('observe', 'enforce', 'strict', 'locked'))`,
    'update projects set level_anew = level',
    'alter table projects drop column level',
    'alter table projects rename column level_anew to level',
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
