import { sql } from 'kysely'
import type { Piece } from '../model/search/piece.ts'
import type { Spoken } from '../model/search/spoken.ts'
import { query, queryOf, type Tx } from './query.ts'

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

const chunksOfSource = query<
  SourceKey,
  { id: number; line: number; heading: string; chunk_text: string | null }
>((db, p) =>
  db
    .selectFrom('embeddings')
    .select(['id', 'line', 'heading', 'chunk_text'])
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

const moveChunk = query<{ id: number; line: number }, unknown>((db, p) =>
  db.updateTable('embeddings').set({ line: p.line }).where('id', '=', p.id),
)

const markSource = query<NewSource, unknown>((db, p) =>
  db
    .updateTable('embeddings')
    .set({ digest: p.digest, updated_at: p.at })
    .where('project_id', '=', p.project_id)
    .where('source_type', '=', p.source_type)
    .where('source_path', '=', p.source_path),
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
  const { missing, same, gone } = await compared(tx, source, chunks)
  for (const change of changesOf(source, { missing, same, gone })) await change(tx)
  await markSource(tx, source)
  return { added: missing.length, kept: same.length, removed: gone.length }
}

type Change = (tx: Tx) => Promise<unknown>

/** What `replaceSource` would change, for a source that is too long for one transaction: all of it but the mark. */
export const missingChanges = async (
  tx: Tx,
  source: SourceKey,
  chunks: readonly Piece[],
): Promise<readonly Change[]> => changesOf(source, await compared(tx, source, chunks))

/** New chunks come first and are older than any file, so that a source counts as unread until it has its mark. */
const changesOf = (source: SourceKey, { missing, same, gone }: Compared): readonly Change[] => [
  ...missing.map((chunk): Change => {
    const unread = { ...source, ...chunk, digest: '', at: '0000-01-01T00:00:00.000Z' }
    return (tx) => insertChunk(tx, unread)
  }),
  ...same.flatMap(({ id, line, was }): Change[] =>
    line === was ? [] : [(tx) => moveChunk(tx, { id, line })],
  ),
  ...gone.map(
    ({ id }): Change =>
      (tx) =>
        deleteChunk(tx, { id }),
  ),
]

type Compared = Awaited<ReturnType<typeof compared>>

async function compared(tx: Tx, source: SourceKey, chunks: readonly Piece[]) {
  const old = Map.groupBy(await chunksOfSource(tx, source), ({ heading, chunk_text }) =>
    keyOf(heading, chunk_text ?? ''),
  )
  const found = chunks.map((chunk) => ({ chunk, row: old.get(keyOf(chunk.heading, chunk.text))?.shift() }))
  return {
    missing: found.flatMap(({ chunk, row }) => (row === undefined ? [chunk] : [])),
    same: found.flatMap(({ chunk: { line }, row }) =>
      row === undefined ? [] : [{ id: row.id, line, was: row.line }],
    ),
    gone: [...old.values()].flat(),
  }
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
