import { sql } from 'kysely'
import type { FoundChunk, Wanted } from '../model/search/found.ts'
import type { Piece } from '../model/search/piece.ts'
import type { Spoken } from '../model/search/spoken.ts'
import { termsOf } from '../model/search/terms.ts'
import { type Candidate, weighed } from '../model/search/weigh.ts'
import { type DatabaseKind, query, queryOf, queryOne, type Tx } from './query.ts'

/** A text that is searched as a whole, such as a file. */
export interface SourceKey {
  readonly project_id: number
  readonly source_type: string
  readonly source_path: string
}

interface NewSource extends SourceKey {
  readonly digest: string
  readonly at: string
}

const chunksOfSource = query<SourceKey, { id: number; heading: string; chunk_text: string | null }>((db, p) =>
  db
    .selectFrom('embeddings')
    .select(['id', 'heading', 'chunk_text'])
    .where('project_id', '=', p.project_id)
    .where('source_type', '=', p.source_type)
    .where('source_path', '=', p.source_path)
    .orderBy('id'),
)

const insertChunk = query<NewSource & Piece, unknown>((db, p) =>
  db.insertInto('embeddings').values({
    project_id: p.project_id,
    source_type: p.source_type,
    source_path: p.source_path,
    heading: p.heading,
    line: p.line,
    chunk_text: p.text,
    words: p.words,
    digest: p.digest,
    updated_at: p.at,
  }),
)

const keepChunk = query<{ id: number; line: number; digest: string; at: string }, unknown>((db, p) =>
  db
    .updateTable('embeddings')
    .set({ line: p.line, digest: p.digest, updated_at: p.at })
    .where('id', '=', p.id),
)

const deleteChunk = query<{ id: number }, unknown>((db, p) =>
  db.deleteFrom('embeddings').where('id', '=', p.id),
)

/** What an index of a source changed. */
export interface Replaced {
  readonly added: number
  readonly kept: number
  readonly removed: number
}

/** Gives a source its new chunks; those with the same heading and text stay, with their vectors. */
export async function replaceSource(tx: Tx, source: NewSource, chunks: readonly Piece[]): Promise<Replaced> {
  const old = Map.groupBy(await chunksOfSource(tx, source), ({ heading, chunk_text }) =>
    keyOf(heading, chunk_text ?? ''),
  )
  let kept = 0
  for (const chunk of chunks) {
    const same = old.get(keyOf(chunk.heading, chunk.text))?.shift()
    if (same === undefined) await insertChunk(tx, { ...source, ...chunk })
    else {
      kept++
      await keepChunk(tx, { id: same.id, line: chunk.line, digest: source.digest, at: source.at })
    }
  }
  const gone = [...old.values()].flat()
  for (const { id } of gone) await deleteChunk(tx, { id })
  return { added: chunks.length - kept, kept, removed: gone.length }
}

const keyOf = (heading: string, text: string): string => `${heading}\0${text}`

export interface SourceFilter {
  readonly project_id?: number | undefined
  readonly source_types?: readonly string[] | undefined
  readonly source_path?: string | undefined
}

/** Takes sources out of the index; returns how many chunks they had. */
export async function deleteSources(tx: Tx, filter: SourceFilter): Promise<number> {
  const rows = await queryOf(tx, (db) => {
    let all = db.deleteFrom('embeddings').returning('id')
    if (filter.project_id !== undefined) all = all.where('project_id', '=', filter.project_id)
    if (filter.source_types !== undefined) all = all.where('source_type', 'in', filter.source_types)
    if (filter.source_path !== undefined) all = all.where('source_path', '=', filter.source_path)
    return all
  })
  return rows.length
}

/** How much of each kind of source is indexed. */
export const indexedSources = query<
  { project_id: number },
  { source_type: string; chunks: number; sources: number; newest: string }
>((db, p) =>
  db
    .selectFrom('embeddings')
    .select((eb) => [
      'source_type',
      eb.fn.countAll<number>().as('chunks'),
      eb.fn.count<number>('source_path').distinct().as('sources'),
      eb.fn.max('updated_at').as('newest'),
    ])
    .where('project_id', '=', p.project_id)
    .groupBy('source_type')
    .orderBy('source_type'),
)

/** The sources of a project, to find those that changed or are gone. */
export const knownSources = query<
  { project_id: number },
  { source_type: string; source_path: string; digest: string; updated_at: string }
>((db, p) =>
  db
    .selectFrom('embeddings')
    .select(['source_type', 'source_path', 'digest', 'updated_at'])
    .distinct()
    .where('project_id', '=', p.project_id),
)

/** The sessions of a project in which somebody said something, with a mark that changes with every message. */
export const spokenSessions = query<
  { project_id: number },
  { native_id: string; newest: number; count: number; at: string }
>((db, p) =>
  db
    .selectFrom('messages')
    .innerJoin('sessions', 'sessions.id', 'messages.session_id')
    .innerJoin('workplaces', 'workplaces.id', 'sessions.workplace_id')
    .select((eb) => [
      sql<string>`sessions.native_id`.as('native_id'),
      eb.fn.max('messages.id').as('newest'),
      eb.fn.countAll<number>().as('count'),
      eb.fn.max('messages.timestamp').as('at'),
    ])
    .where('workplaces.project_id', '=', p.project_id)
    .where('sessions.native_id', 'is not', null)
    .where('messages.role', 'in', ['user', 'assistant'])
    .groupBy('sessions.native_id'),
)

/** What the user and the agent said last in a session, newest first. */
export const spokenIn = query<{ native_id: string }, Spoken>((db, p) =>
  db
    .selectFrom('messages')
    .innerJoin('sessions', 'sessions.id', 'messages.session_id')
    .select(['messages.id', 'messages.role', 'messages.content'])
    .where('sessions.native_id', '=', p.native_id)
    .where('messages.role', 'in', ['user', 'assistant'])
    .orderBy('messages.id', 'desc')
    .limit(sql.lit(5000)),
)

/** Terms in more chunks than this are counted no further, because that would take long. */
const COMMON = 2000
/** The rarest terms choose the candidates: at least so many, and more while that stays cheap. */
const [FEWEST_CHOOSING, MOST_CHOOSING, MOST_CHOSEN] = [5, 24, 6000]
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
  const index = INDEXES[tx.kind]
  const { project_id: project, source_types: types, since } = wanted
  const parameters: unknown[] = [choosing.map(({ term }) => index.term(term)).join(index.or)]
  const given = (value: unknown) => index.given(parameters.push(value))
  const filters = [
    ...(project === undefined ? [] : [`e.project_id = ${given(project)}`]),
    ...(types === undefined ? [] : [`e.source_type in (${types.map(given).join(', ')})`]),
    ...(since === undefined ? [] : [`e.updated_at >= ${given(since)}`]),
  ]
  const score = index.score(choosing, given)
  return await tx.execute<Candidate>({
    sql: `select e.id, e.project_id, e.source_type, e.source_path, e.heading, e.line, e.chunk_text, e.updated_at, e.words
      from ${index.from} where ${[index.matches, ...filters].join(' and ')}
      order by ${score} desc, e.id desc limit ${Math.max(wanted.limit, CANDIDATES)}`,
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
