import { sql } from 'kysely'
import { queryOf, queryOne, type Tx } from './query.ts'

/** Sessions that were read from the transcripts of their client. */

/** What is known of a client's session: its newest window, and how far its transcript is imported. */
export interface KnownSession {
  readonly id: number
  readonly native_id: string
  readonly project_id: number
  readonly imported_at: string | null
  readonly transcript_offset: number
}

/** The newest window of each of these sessions. */
export async function knownOf(tx: Tx, natives: readonly string[]): Promise<readonly KnownSession[]> {
  if (natives.length === 0) return []
  const rows = await queryOf(tx, (db) =>
    db
      .selectFrom('sessions')
      .innerJoin('workplaces', 'workplaces.id', 'sessions.workplace_id')
      .select([
        'sessions.id',
        'workplaces.project_id',
        sql<string>`native_id`.as('native_id'),
        'imported_at',
        'transcript_offset',
      ])
      .where('native_id', 'in', natives)
      .orderBy('sessions.id'),
  )
  return [...new Map(rows.map((row) => [row.native_id, row])).values()]
}

interface Imported {
  readonly task_id: string
  readonly effort_id: number
  readonly workplace_id: number
  readonly native_id: string
  readonly client: string
  readonly transcript: string
  readonly began_at: string
  readonly ended_at: string
  readonly now: string
}

/** Stores a session that is over. */
export const insertImported = queryOne<Imported, { id: number }>((db, p) =>
  db
    .insertInto('sessions')
    .values({
      task_id: p.task_id,
      effort_id: p.effort_id,
      workplace_id: p.workplace_id,
      native_id: p.native_id,
      client: p.client,
      transcript_path: p.transcript,
      transcript_at: p.now,
      created_at: p.began_at,
      last_heartbeat: p.ended_at,
      ended_at: p.ended_at,
      ended_reason: 'finished',
      imported_at: p.now,
    })
    .returning('id'),
)

/** Only the first caller moves the end of what is imported. */
export const moveImported = queryOne<
  { id: number; from: number; to: number; ended_at: string | null; now: string },
  { id: number }
>((db, p) =>
  db
    .updateTable('sessions')
    .set((eb) => ({
      transcript_offset: p.to,
      transcript_at: p.now,
      last_heartbeat: eb.fn.coalesce(eb.val(p.ended_at), 'last_heartbeat'),
      ended_at: eb.fn.coalesce(eb.val(p.ended_at), 'ended_at'),
    }))
    .where('id', '=', p.id)
    .where('transcript_offset', '=', p.from)
    .returning('id'),
)

/** Serializes two imports of one session on a server; SQLite has one writer. */
export async function lockImport(tx: Tx, native_id: string): Promise<void> {
  if (tx.kind === 'postgres')
    await tx.execute({
      sql: 'select pg_advisory_xact_lock(hashtext($1))',
      parameters: [`import ${native_id}`],
    })
}
