import { sql } from 'kysely'
import { bitsOf, type Coded, CodeTable, similarity } from '../model/search/codes.ts'
import type { FoundChunk, Wanted } from '../model/search/found.ts'
import { fused } from '../model/search/fuse.ts'
import { query, queryOf, queryOne, type Tx } from './query.ts'
import { findChunks } from './find.ts'

/** A piece that has no vector yet. */
export interface Unembedded {
  readonly id: number
  readonly heading: string
  readonly chunk_text: string | null
}

/** The next pieces of a project without a vector in a space; 0 is no space. */
export const piecesWithoutVector = query<
  { project_id: number; space_id: number; after: number; limit: number },
  Unembedded
>((db, p) =>
  db
    .selectFrom('embeddings as e')
    .select(['e.id', 'e.heading', 'e.chunk_text'])
    .where('e.project_id', '=', p.project_id)
    .where('e.id', '>', p.after)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('vectors as v')
            .select('v.id')
            .where('v.space_id', '=', p.space_id)
            .whereRef('v.piece_id', '=', 'e.id'),
        ),
      ),
    )
    .orderBy('e.id')
    .limit(p.limit),
)

/** How many pieces there are, and how many have a vector. */
export interface Coverage {
  readonly pieces: number
  readonly embedded: number
}

/** How many pieces a project has, and how many of them have a vector in a space. */
export const vectorCoverage = queryOne<{ project_id: number; space_id: number }, Coverage>((db, p) =>
  db
    .selectFrom('embeddings as e')
    .leftJoin('vectors as v', (join) =>
      join.onRef('v.piece_id', '=', 'e.id').on('v.space_id', '=', p.space_id),
    )
    .select((eb) => [eb.fn.countAll<number>().as('pieces'), eb.fn.count<number>('v.id').as('embedded')])
    .where('e.project_id', '=', p.project_id),
)

/** The projects that have pieces. */
export const projectsWithPieces = query<object, { project_id: number }>((db) =>
  db
    .selectFrom('embeddings')
    .select(sql<number>`project_id`.as('project_id'))
    .distinct()
    .where('project_id', 'is not', null)
    .orderBy('project_id'),
)

/** A vector as it is stored. */
export interface StoredVector {
  readonly digest: string
  readonly code: Uint8Array | string
  readonly vector: Uint8Array
}

/** The vectors of the same texts elsewhere, which need not be bought again. */
export const vectorsOfTexts = (
  tx: Tx,
  { space_id, digests }: { readonly space_id: number; readonly digests: readonly string[] },
): Promise<readonly StoredVector[]> =>
  queryOf(tx, (db) =>
    db
      .selectFrom('vectors')
      .select(['digest', 'code', 'vector'])
      .where('space_id', '=', space_id)
      .where('digest', 'in', digests.length === 0 ? [''] : digests),
  )

/** Stores a vector, unless its piece is gone or has one. */
export const insertVector = query<StoredVector & { space_id: number; piece_id: number }, { id: number }>(
  (db, p, kind) =>
    db
      .insertInto('vectors')
      .columns(['space_id', 'piece_id', 'digest', 'code', 'vector'])
      .expression((eb) =>
        eb
          .selectFrom('embeddings')
          .select([
            sql<number>`cast(${p.space_id} as bigint)`.as('space_id'),
            'id',
            sql<string>`cast(${p.digest} as text)`.as('digest'),
            sql<string>`cast(${p.code} as ${sql.raw(kind === 'postgres' ? 'bit varying' : 'blob')})`.as(
              'code',
            ),
            sql<Uint8Array>`cast(${p.vector} as ${sql.raw(kind === 'postgres' ? 'bytea' : 'blob')})`.as(
              'vector',
            ),
          ])
          .where('id', '=', p.piece_id),
      )
      .onConflict((conflict) => conflict.columns(['piece_id', 'space_id']).doNothing())
      .returning('id'),
)

/** The codes of a space that were stored after one of them. */
const codesAfter = query<{ space_id: number; after: number; limit: number }, Coded & { readonly id: number }>(
  (db, p) =>
    db
      .selectFrom('vectors as v')
      .innerJoin('embeddings as e', 'e.id', 'v.piece_id')
      .select(['v.id', 'v.piece_id', sql<Uint8Array>`v.code`.as('code'), 'e.project_id', 'e.source_type'])
      .where('v.space_id', '=', p.space_id)
      .where('v.id', '>', p.after)
      .orderBy('v.id')
      .limit(p.limit),
)

/** A question in the space of its vectors. */
export interface Meaning {
  readonly space_id: number
  readonly vector: Float32Array
  readonly code: Uint8Array
}

/** Finds the pieces whose codes are nearest. */
export type Scan = (meaning: Meaning, wanted: Wanted, limit: number) => Promise<readonly number[]>

/** So many by their codes are compared by their whole vectors. */
const RESCORED = 300
/** The most pieces that meaning alone adds. */
const NEAR = 100

/** The pieces that fit best by words and by meaning. */
export async function findByBoth(
  tx: Tx,
  wanted: Wanted,
  meaning: Meaning,
  scan: Scan,
): Promise<readonly FoundChunk[]> {
  const byWords = await findChunks(tx, wanted)
  const candidates = await scan(meaning, wanted, RESCORED)
  const ids = [...new Set([...byWords.map(({ id }) => id), ...candidates])]
  const similarities = await similaritiesOf(tx, meaning, ids)
  const nearest = [...similarities].toSorted(([, a], [, b]) => b - a).map(([id]) => id)
  const near = await chunksOf(tx, nearest.slice(0, NEAR), wanted)
  return fused(byWords, near, similarities)
}

async function similaritiesOf(
  tx: Tx,
  { space_id, vector }: Meaning,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await queryOf(tx, (db) =>
    db
      .selectFrom('vectors')
      .select(['piece_id', 'vector'])
      .where('space_id', '=', space_id)
      .where('piece_id', 'in', ids),
  )
  return new Map(
    rows.map(({ piece_id, vector: bytes }) => [
      piece_id,
      similarity(vector, new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    ]),
  )
}

/** Pieces by their ids, as far as they are wanted. */
async function chunksOf(
  tx: Tx,
  ids: readonly number[],
  { project_id: project, source_types: types, since }: Wanted,
): Promise<readonly FoundChunk[]> {
  if (ids.length === 0) return []
  const rows = await queryOf(tx, (db) => {
    let all = db
      .selectFrom('embeddings')
      .select(['id', 'project_id', 'source_type', 'source_path', 'heading', 'line', 'updated_at'])
      .select(sql<string>`coalesce(chunk_text, '')`.as('chunk_text'))
      .where('id', 'in', ids)
    if (project !== undefined) all = all.where('project_id', '=', project)
    if (types !== undefined) all = all.where('source_type', 'in', types)
    if (since !== undefined) all = all.where('updated_at', '>=', since)
    return all
  })
  return rows.map((row) => ({ ...row, score: 0, has: [], in_heading: [] }))
}

const AT_ONCE = 5000

/** A scan that keeps the codes of the space that was asked for last; for a database that cannot compare bits. */
export function scanInMemory(tx: Tx): Scan {
  let codes: { readonly space: number; readonly table: CodeTable; last: number } | undefined
  return async ({ space_id, code }, wanted, limit) => {
    if (codes?.space !== space_id) codes = { space: space_id, table: new CodeTable(code.length), last: 0 }
    // Codes of deleted pieces stay, but their pieces are not found any more.
    for (let isAll = false; !isAll;) {
      const rows = await codesAfter(tx, { space_id, after: codes.last, limit: AT_ONCE })
      isAll = rows.length < AT_ONCE
      for (const row of rows) {
        if (!codes.table.add(row)) isAll = true
        codes.last = row.id
      }
    }
    return codes.table.nearest(code, limit, wanted)
  }
}

/** The scan of a database that compares bits by itself. */
export const scanByServer =
  (tx: Tx): Scan =>
  async ({ space_id, code }, { project_id: project, source_types: types }, limit) => {
    const rows = await queryOf(tx, (db) => {
      let all = db
        .selectFrom('vectors as v')
        .innerJoin('embeddings as e', 'e.id', 'v.piece_id')
        .select('v.piece_id')
        .where('v.space_id', '=', space_id)
      if (project !== undefined) all = all.where('e.project_id', '=', project)
      if (types !== undefined) all = all.where('e.source_type', 'in', types)
      return all
        .orderBy(sql`bit_count(v.code # ${bitsOf(code)}::bit varying)`)
        .orderBy('v.piece_id')
        .limit(limit)
    })
    return rows.map(({ piece_id: id }) => id)
  }
