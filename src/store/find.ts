import { sql } from 'kysely'
import type { FoundChunk, Wanted } from '../model/search/found.ts'
import { termsOf } from '../model/search/terms.ts'
import { type Candidate, weighed } from '../model/search/weigh.ts'
import { type DatabaseKind, queryOne, type Tx } from './query.ts'

/** Terms in more chunks than this are counted no further, because that would take long. */
const COMMON = 1000
/** The rarest terms choose the candidates: at least so many, and more while that stays cheap. */
const [FEWEST_CHOOSING, MOST_CHOOSING, MOST_CHOSEN] = [5, 24, 4000]
/** All terms order the best of so many. */
const CANDIDATES = 100

/** The chunks that fit best by their words; the same call on both databases, each with its own index. */
export async function findChunks(tx: Tx, wanted: Wanted): Promise<readonly FoundChunk[]> {
  const pieces = (await newestChunk(tx, {}))?.id ?? 0
  const counts = new Map<string, number>()
  for (const term of wanted.words.flatMap(termsOf))
    if (!counts.has(term)) counts.set(term, await countOf(tx, term, pieces))
  const choosing = choosingOf(counts)
  if (choosing.length === 0) return []
  const candidates = await candidatesOf(tx, choosing, wanted)
  return weighed(candidates, { words: wanted.words, counts, pieces }).slice(0, wanted.limit)
}

interface Choosing {
  readonly term: string
  readonly count: number
}

function choosingOf(counts: ReadonlyMap<string, number>): readonly Choosing[] {
  let sum = 0
  return [...counts]
    .map(([term, count]) => ({ term, count }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => a.count - b.count)
    .slice(0, MOST_CHOOSING)
    .filter(({ count }, at) => {
      sum += count
      return at < FEWEST_CHOOSING || sum <= MOST_CHOSEN
    })
}

const newestChunk = queryOne<object, { id: number }>((db) =>
  db.selectFrom('embeddings').select('id').orderBy('id', 'desc').limit(sql.lit(1)),
)

/** In how many chunks a term is; beyond the limit, about so many, by how soon that limit was reached. */
async function countOf(tx: Tx, term: string, pieces: number): Promise<number> {
  const index = INDEXES[tx.kind]
  const [row] = await tx.execute<{ count: number; last: number | null }>({
    sql: index.count,
    parameters: [index.term(term)],
  })
  const { count = 0, last } = row ?? {}
  return count < COMMON ? count : Math.max(COMMON, Math.round((COMMON * pieces) / (last ?? pieces)))
}

async function candidatesOf(
  tx: Tx,
  choosing: readonly Choosing[],
  wanted: Wanted,
): Promise<readonly Candidate[]> {
  const limit = Math.max(wanted.limit, CANDIDATES)
  const most = choosing.reduce((sum, { count }) => sum + count, 0)
  // Looking at the best of all projects is cheaper than asking each match for its project.
  const best = tx.kind === 'sqlite' ? await selected(tx, choosing, wanted, limit, WIDER * limit) : []
  return best.length === limit || (tx.kind === 'sqlite' && most <= WIDER * limit)
    ? best
    : await selected(tx, choosing, wanted, limit)
}

const WIDER = 2

/** The best by some terms among all that are wanted, or among so many of the best of all. */
async function selected(
  tx: Tx,
  choosing: readonly Choosing[],
  { project_id: project, source_types: types, since }: Wanted,
  limit: number,
  among?: number,
): Promise<readonly Candidate[]> {
  const index = INDEXES[tx.kind]
  const parameters: unknown[] = [choosing.map(({ term }) => index.term(term)).join(index.or)]
  const given = (value: unknown) => index.given(parameters.push(value))
  const score = index.score(choosing, given)
  const filters = [
    ...(project === undefined ? [] : [`e.project_id = ${given(project)}`]),
    ...(types === undefined ? [] : [`e.source_type in (${types.map(given).join(', ')})`]),
    ...(since === undefined ? [] : [`e.updated_at >= ${given(since)}`]),
  ]
  const isWanted = filters.length === 0 ? '' : `where ${filters.join(' and ')}`
  // Sorts ids alone, because thousands of whole rows would take ten times as long.
  const best =
    among === undefined
      ? `select e.id from ${index.from} where ${[index.matches, ...filters].join(' and ')}
          order by ${score} desc, e.id desc limit ${limit}`
      : `select e.id from (select rowid as id, rank as fit from embedding_words where ${index.matches}
          order by rank limit ${among}) w join embeddings e on e.id = w.id ${isWanted} order by w.fit limit ${limit}`
  return await tx.execute<Candidate>({
    sql: `select c.id, c.project_id, c.source_type, c.source_path, c.heading, c.line, c.chunk_text, c.updated_at, c.words
      from (${best}) best join embeddings c on c.id = best.id`,
    parameters,
  })
}

/** A term as the index of a database looks for it. */
export const writtenTerm = (kind: DatabaseKind, term: string): string => INDEXES[kind].term(term)

/** How each database finds terms, which are letters and digits only. */
const INDEXES = {
  sqlite: {
    term: (term: string) => `"${term}"`,
    or: ' OR ',
    given: () => '?',
    count: `select count(*) as count, max(rowid) as last
      from (select rowid from embedding_words where embedding_words match ? limit ${COMMON})`,
    score: () => '-bm25(embedding_words)',
    from: 'embedding_words join embeddings e on e.id = embedding_words.rowid',
    matches: 'embedding_words match ?',
  },
  postgres: {
    term: (term: string) => `'${term}'`,
    or: ' | ',
    given: (position: number) => `$${position}`,
    count: `select count(*) as count, max(id) as last
      from (select id from embeddings where terms @@ $1::tsquery limit ${COMMON}) as found`,
    // Its own ranking knows no rare words, so a rare one counts more and then a short piece.
    score: (choosing: readonly Choosing[], given: (value: unknown) => string) =>
      `(${choosing.map(({ term, count }) => `(e.terms @@ ${given(`'${term}'`)}::tsquery)::int / ln(${count + 2})`).join(' + ')})
        / (20 + ln(1 + length(e.terms)))`,
    from: 'embeddings e',
    matches: 'e.terms @@ $1::tsquery',
  },
} as const
