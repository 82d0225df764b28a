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
import { rank } from '../model/search/rank.ts'
import { MOST_COUNTED, relevant } from '../model/search/relevance.ts'
import { query, queryOne, type Tx } from './query.ts'
import { findChunks, POSTGRES_WORDS } from './search.ts'

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
  const best = bestOf(relevant(rank(unknown, words, CANDIDATES), words, known))
  const quotes: Quote[] = []
  for (const one of best) {
    const answer = isMessage(one)
      ? await answerTo(tx, { id: one.line, native_id: one.source_path })
      : undefined
    quotes.push(quoteOf(one, answer?.content))
  }
  return quotes
}

/** In how many pieces of a project each word is, up to a bound. */
async function countsIn(
  tx: Tx,
  project_id: number,
  words: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const { sql: text, word: written } = COUNTING[tx.kind]
  for (const word of words) {
    const [row] = await tx.execute<{ count: number }>({ sql: text, parameters: [written(word), project_id] })
    counts.set(word, row?.count ?? 0)
  }
  return counts
}

const COUNTING = {
  sqlite: {
    word: (word: string) => `"${word}"`,
    // A bound inside, because a word may be in every piece of another project.
    sql: `select count(*) as count from
      (select rowid from embedding_words where embedding_words match ? limit ${MOST_COUNTED}) as found
      join embeddings e on e.id = found.rowid where e.project_id = ?`,
  },
  postgres: {
    word: (word: string) => `'${word}'`,
    sql: `select count(*) as count from
      (select e.project_id from embeddings e where ${POSTGRES_WORDS} @@ to_tsquery('english', $1) limit ${MOST_COUNTED}) as found
      where found.project_id = $2`,
  },
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

/** The sessions of clients that served an effort. */
export const nativesOf = query<{ effort_id: number }, { native_id: string | null }>((db, p) =>
  db
    .selectFrom('sessions')
    .select('native_id')
    .distinct()
    .where('effort_id', '=', p.effort_id)
    .limit(sql.lit(100)),
)
