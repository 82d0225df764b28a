import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/**
 * Keeps the vectors of pieces beside them, by the space that they belong to: while a new space is built, a piece has
 * two vectors, for which the column of the seed has no room.
 */
export async function up(tx: Tx): Promise<void> {
  const { id, integer, blob, end } = SPELLINGS[tx.kind]
  // PostgreSQL compares bits by itself; for SQLite the thread of the index does it.
  const bits = tx.kind === 'postgres' ? 'bit varying' : blob
  const statements = [
    'alter table embeddings drop column embedding',
    `create table spaces (
      id ${id},
      identity text not null unique,
      provider text not null,
      model text not null,
      asked_dims ${integer},
      dims ${integer} not null,
      scheme text not null,
      center ${blob},
      state text not null check (state in ('building', 'active', 'retired'))
    ) ${end}`,
    `create unique index idx_spaces_active on spaces(state) where state = 'active'`,
    `create table vectors (
      id ${id},
      space_id ${integer} not null references spaces(id) on delete cascade,
      piece_id ${integer} not null references embeddings(id) on delete cascade,
      digest text not null,
      code ${bits} not null,
      vector ${blob} not null
    ) ${end}`,
    'create unique index idx_vectors_piece on vectors(piece_id, space_id)',
    'create index idx_vectors_digest on vectors(space_id, digest)',
    // With the codes in the index, a scan need not read the vectors.
    'create index idx_vectors_codes on vectors(space_id, id, piece_id, code)',
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
