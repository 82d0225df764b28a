import { type Insertable, sql } from 'kysely'
import type { Message } from '../model/message.ts'
import type { NewMessage } from '../model/transcript.ts'
import { query, queryOf, queryOne, type Tx } from './query.ts'
import type { Tables } from './schema.ts'

const COLUMNS = ['id', 'session_id', 'role', 'content', 'tool_name', 'timestamp'] as const

export const insertMessage = queryOne<
  { session_id: number; role: Message['role']; content: string; tool_name: string | null; now: string },
  Message
>((db, p) =>
  db
    .insertInto('messages')
    .values({
      session_id: p.session_id,
      role: p.role,
      content: p.content,
      tool_name: p.tool_name,
      timestamp: p.now,
    })
    .returning(COLUMNS),
)

type NewRow = Insertable<Tables['messages']>

const insertRow = query<NewRow, unknown>((db, p) =>
  db.insertInto('messages').values({
    session_id: p.session_id,
    role: p.role,
    content: p.content,
    tool_name: p.tool_name,
    native_id: p.native_id,
    timestamp: p.timestamp,
  }),
)

/** One statement of PostgreSQL takes no more than 65,535 values. */
const MOST_AT_ONCE = 1000

/** Those of one window, all at once. */
export async function insertMessages(
  tx: Tx,
  session: number,
  messages: readonly NewMessage[],
): Promise<void> {
  if (messages.length === 0) return
  const rows = messages.map(({ role, content, toolName, nativeId, at }) => ({
    session_id: session,
    role,
    content,
    tool_name: toolName ?? null,
    native_id: nativeId ?? null,
    timestamp: at,
  }))
  // A statement for each number of rows saves the ways to a server, but must be compiled, and is kept by SQLite.
  if (tx.kind === 'postgres' && rows.length > 1)
    for (let at = 0; at < rows.length; at += MOST_AT_ONCE)
      await queryOf(tx, (db) => db.insertInto('messages').values(rows.slice(at, at + MOST_AT_ONCE)))
  else for (const row of rows) await insertRow(tx, row)
}

/** What is known of the last of a window's messages, newest first. */
export const knownMessages = query<
  { session_id: number },
  Pick<Message, 'role' | 'content' | 'timestamp'> & { native_id: string | null }
>((db, p) =>
  db
    .selectFrom('messages')
    .select(['role', 'content', 'timestamp', 'native_id'])
    .where('session_id', '=', p.session_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(5000)),
)

/** How far the last window of a client's session has followed the client's transcript. */
export const findTranscript = queryOne<
  { native_id: string },
  { id: number; transcript_path: string | null; transcript_offset: number; transcript_at: string | null }
>((db, p) =>
  db
    .selectFrom('sessions')
    .select(['id', 'transcript_path', 'transcript_offset', 'transcript_at'])
    .where('native_id', '=', p.native_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)

/** What user and agent said last in a window, newest first. */
export const saidIn = query<{ session_id: number }, Pick<Message, 'content'>>((db, p) =>
  db
    .selectFrom('messages')
    .select('content')
    .where('session_id', '=', p.session_id)
    .where('role', 'in', ['user', 'assistant'])
    .orderBy('id', 'desc')
    .limit(sql.lit(500)),
)

/** Only the first who comes back takes up what was missed. */
export const moveTranscript = queryOne<{ id: number; from: number; to: number; now: string }, { id: number }>(
  (db, p) =>
    db
      .updateTable('sessions')
      .set({ transcript_offset: p.to, transcript_at: p.now })
      .where('id', '=', p.id)
      .where('transcript_offset', '=', p.from)
      .returning('id'),
)

/** A page ends where it is full: by its limit, or after so many bytes, but never before its first message. */
const PAGE_BYTES = 4_194_304

export const listMessages = query<{ session_id: number; limit: number; offset: number }, Message>((db, p) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('messages')
        .select([
          'id',
          sql<number>`sum(octet_length(content)) over (order by id) - octet_length(content)`.as('before'),
        ])
        .where('session_id', '=', p.session_id)
        // The sum begins with the page, so what lies before it is left out first.
        .where('id', 'in', (page) =>
          page
            .selectFrom('messages')
            .select('id')
            .where('session_id', '=', p.session_id)
            .orderBy('id')
            .limit(p.limit)
            .offset(p.offset),
        )
        .as('page'),
    )
    .innerJoin('messages', 'messages.id', 'page.id')
    .select(COLUMNS.map((column) => `messages.${column}` as const))
    .where('page.before', '<', PAGE_BYTES)
    .orderBy('messages.id'),
)

/** The beginnings of what was said last in a window, newest first. */
export const lastMessages = query<{ session_id: number }, Pick<Message, 'role' | 'content'>>((db, p) =>
  db
    .selectFrom('messages')
    .select(['role', sql<string>`substr(content, 1, 1000)`.as('content')])
    .where('session_id', '=', p.session_id)
    .where('role', 'in', ['user', 'assistant'])
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(20)),
)
