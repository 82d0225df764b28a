import { sql } from 'kysely'
import {
  bestOf,
  isKnownSource,
  isMessage,
  type MemoryWish,
  type Quote,
  quoteOf,
  REMEMBERED,
} from '../model/search/memory.ts'
import { MOST_COUNTED, relevant } from '../model/search/relevance.ts'
import { termsOf } from '../model/search/terms.ts'
import { query, queryOne, type Tx } from './query.ts'
import { findChunks, writtenTerm } from './find.ts'

/** So many pieces are looked at, of which most sources are left out for one reason or another. */
const CANDIDATES = 60

/** The places in the index of a project that are about a request; nothing if none is. */
export async function remembered(
  tx: Tx,
  { project_id, words, except }: MemoryWish,
): Promise<readonly Quote[]> {
  const found = await findChunks(tx, { words, project_id, source_types: REMEMBERED, limit: CANDIDATES })
  const unknown = found.filter((one) => !isKnownSource(one, except))
  if (unknown.length === 0) return []
  const known = { counts: await countsIn(tx, project_id, words), pieces: await piecesIn(tx, project_id) }
  const best = bestOf(relevant(unknown, words, known))
  const quotes: Quote[] = []
  for (const one of best) {
    const answer = isMessage(one)
      ? await answerTo(tx, { id: one.line, native_id: one.source_path })
      : undefined
    quotes.push(quoteOf(one, answer?.content))
  }
  return quotes
}

/** In how many pieces of a project each word is, up to a bound; a word of several terms is where its rarest is. */
async function countsIn(
  tx: Tx,
  project_id: number,
  words: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const word of words) {
    const each: number[] = []
    for (const term of termsOf(word)) {
      const parameters = [writtenTerm(tx.kind, term), project_id]
      const [row] = await tx.execute<{ count: number }>({ sql: COUNTING[tx.kind], parameters })
      each.push(row?.count ?? 0)
    }
    counts.set(word, each.length === 0 ? 0 : Math.min(...each))
  }
  return counts
}

/** A bound inside, because a term may be in every piece of another project. */
const COUNTING = {
  sqlite: `select count(*) as count from
    (select rowid from embedding_words where embedding_words match ? limit ${MOST_COUNTED}) as found
    join embeddings e on e.id = found.rowid where e.project_id = ?`,
  postgres: `select count(*) as count from
    (select e.project_id from embeddings e where e.terms @@ $1::tsquery limit ${MOST_COUNTED}) as found
    where found.project_id = $2`,
} as const

const countPieces = queryOne<{ project_id: number }, { count: number }>((db, p) =>
  db
    .selectFrom('embeddings')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', p.project_id),
)

const piecesIn = async (tx: Tx, project_id: number): Promise<number> =>
  (await countPieces(tx, { project_id }))?.count ?? 0

/** What the agent said after a prompt, before the next one; nothing after an answer. */
const answerTo = queryOne<{ id: number; native_id: string }, { content: string }>((db, p) =>
  db
    .selectFrom('messages')
    .innerJoin('sessions', 'sessions.id', 'messages.session_id')
    .select(sql<string>`substr(content, 1, 2000)`.as('content'))
    .where('sessions.native_id', '=', p.native_id)
    .where('messages.id', '>', p.id)
    .where('messages.role', '=', 'assistant')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('messages as asked')
          .select('asked.id')
          .where('asked.id', '=', p.id)
          .where('asked.role', '=', 'user'),
      ),
    )
    .orderBy('messages.id')
    .limit(sql.lit(1)),
)

/** Whether anything of a project is indexed. */
export const isIndexed = queryOne<{ project_id: number }, { id: number }>((db, p) =>
  db.selectFrom('embeddings').select('id').where('project_id', '=', p.project_id).limit(sql.lit(1)),
)

/** What a window was told of the memory of its project. */
export const toldMemory = query<{ window_id: number }, { payload: string }>((db, p) =>
  db
    .selectFrom('life_event')
    .select('payload')
    .where('window_id', '=', p.window_id)
    .where('event_type', '=', 'memory.told')
    .orderBy('seq', 'desc')
    .limit(sql.lit(100)),
)

/** Whether a model was asked what a window noted. */
export const wasFlushed = queryOne<{ window_id: number }, { seq: number }>((db, p) =>
  db
    .selectFrom('life_event')
    .select('seq')
    .where('window_id', '=', p.window_id)
    .where('event_type', '=', 'queue.flushed')
    .limit(sql.lit(1)),
)

/** The sessions of clients that served an effort. */
export const nativesOf = query<{ effort_id: number }, { native_id: string | null }>((db, p) =>
  db
    .selectFrom('sessions')
    .select('native_id')
    .distinct()
    .where('effort_id', '=', p.effort_id)
    .limit(sql.lit(100)),
)
