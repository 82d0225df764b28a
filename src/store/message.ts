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

/** A PostgreSQL statement accepts at most 65,535 values. */
const MOST_AT_ONCE = 1000

/** Inserts the messages of one session at once. */
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
  // Batches save round trips to a server; SQLite would only compile and cache more statements.
  if (tx.kind === 'postgres' && rows.length > 1)
    for (let at = 0; at < rows.length; at += MOST_AT_ONCE)
      await queryOf(tx, (db) => db.insertInto('messages').values(rows.slice(at, at + MOST_AT_ONCE)))
  else for (const row of rows) await insertRow(tx, row)
}

/** The messages of all windows of a session since a moment, newest first. */
export const knownMessages = query<
  { native_id: string; since: string },
  Pick<Message, 'id' | 'role' | 'content' | 'timestamp'> & { native_id: string | null }
>((db, p) =>
  db
    .selectFrom('messages')
    .innerJoin('sessions', 'sessions.id', 'messages.session_id')
    .select(['messages.id', 'role', 'content', 'timestamp', 'messages.native_id'])
    .where('sessions.native_id', '=', p.native_id)
    .where('timestamp', '>=', p.since)
    .orderBy('timestamp', 'desc')
    .orderBy('messages.id', 'desc')
    .limit(sql.lit(5000)),
)

/** Notes that the transcript shows a message. */
export const markShown = query<{ id: number; native_id: string }, unknown>((db, p) =>
  db.updateTable('messages').set({ native_id: p.native_id }).where('id', '=', p.id),
)

/** The position in the transcript of a session, which one of its windows keeps, and its newest window. */
export const findTranscript = queryOne<
  { native_id: string },
  {
    id: number
    transcript_path: string | null
    transcript_offset: number
    transcript_at: string | null
    newest: number
    begun_at: string
  }
>((db, p) =>
  db
    .selectFrom('sessions')
    .select([
      'id',
      'transcript_path',
      'transcript_offset',
      'transcript_at',
      sql<number>`(select max(id) from sessions where native_id = ${p.native_id})`.as('newest'),
      sql<string>`(select min(created_at) from sessions where native_id = ${p.native_id})`.as('begun_at'),
    ])
    .where('native_id', '=', p.native_id)
    .where('transcript_path', 'is not', null)
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
)

/** The time of the user's last prompt to a client's session, in any of its windows. */
export const lastPromptTo = queryOne<{ native_id: string }, Pick<Message, 'timestamp'>>((db, p) =>
  db
    .selectFrom('messages')
    .innerJoin('sessions', 'sessions.id', 'messages.session_id')
    .select('messages.timestamp')
    .where('sessions.native_id', '=', p.native_id)
    .where('messages.role', '=', 'user')
    .orderBy('messages.timestamp', 'desc')
    .limit(sql.lit(1)),
)

/** The last user and agent messages of a session, newest first. */
export const saidIn = query<{ session_id: number }, Pick<Message, 'content'>>((db, p) =>
  db
    .selectFrom('messages')
    .select('content')
    .where('session_id', '=', p.session_id)
    .where('role', 'in', ['user', 'assistant'])
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(500)),
)

/** The first position in a transcript. */
export const beginTranscript = query<{ id: number; path: string; offset: number; now: string }, unknown>(
  (db, p) =>
    db
      .updateTable('sessions')
      .set({ transcript_path: p.path, transcript_offset: p.offset, transcript_at: p.now })
      .where('id', '=', p.id),
)

/** Only the first caller moves the position and adds the messages. */
export const moveTranscript = queryOne<{ id: number; from: number; to: number; now: string }, { id: number }>(
  (db, p) =>
    db
      .updateTable('sessions')
      .set({ transcript_offset: p.to, transcript_at: p.now })
      .where('id', '=', p.id)
      .where('transcript_offset', '=', p.from)
      .returning('id'),
)

/** A page ends at its limit or byte count, but has at least one message. */
const PAGE_BYTES = 4_194_304

export const listMessages = query<{ session_id: number; limit: number; offset: number }, Message>((db, p) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('messages')
        .select([
          'id',
          sql<number>`sum(octet_length(content)) over (order by timestamp, id) - octet_length(content)`.as(
            'before',
          ),
        ])
        .where('session_id', '=', p.session_id)
        // The byte sum must start with the page, so earlier rows are skipped first.
        .where('id', 'in', (page) =>
          page
            .selectFrom('messages')
            .select('id')
            .where('session_id', '=', p.session_id)
            .orderBy('timestamp')
            .orderBy('id')
            .limit(p.limit)
            .offset(p.offset),
        )
        .as('page'),
    )
    .innerJoin('messages', 'messages.id', 'page.id')
    .select(COLUMNS.map((column) => `messages.${column}` as const))
    .where('page.before', '<', PAGE_BYTES)
    .orderBy('messages.timestamp')
    .orderBy('messages.id'),
)

type Beginning = Pick<Message, 'role' | 'content' | 'tool_name' | 'timestamp'>

/** The beginnings of the last texts of a session, newest first. */
export const lastTexts = query<{ session_id: number }, Beginning>((db, p) =>
  db
    .selectFrom('messages')
    .select(['role', sql<string>`substr(content, 1, 1000)`.as('content'), 'tool_name', 'timestamp'])
    .where('session_id', '=', p.session_id)
    .where('role', 'in', ['user', 'assistant'])
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(20)),
)

const MOVES = ['session.started', 'session.switched']

/** Which efforts of skills the windows served that ever served this one, and since when, oldest first. */
export const servedBeside = query<
  { effort_id: number },
  { window_id: number | null; effort_id: number | null; timestamp: string }
>((db, p) =>
  db
    .selectFrom('life_event')
    .innerJoin('efforts', 'efforts.id', 'life_event.effort_id')
    .select(['life_event.window_id', 'life_event.effort_id', 'life_event.timestamp'])
    .where('life_event.window_id', 'in', (eb) =>
      eb
        .selectFrom('life_event as own')
        .select('own.window_id')
        .where('own.effort_id', '=', p.effort_id)
        .where('own.event_type', 'in', MOVES),
    )
    .where('life_event.event_type', 'in', MOVES)
    .where('efforts.ordinal', '>', sql.lit(0))
    .orderBy('life_event.seq'),
)

/** The beginnings of the last words of the user in all windows that serve or served an effort, newest first. */
export const lastAsked = query<{ effort_id: number }, Pick<Message, 'content' | 'session_id' | 'timestamp'>>(
  (db, p) =>
    db
      .selectFrom('messages')
      .select(['session_id', 'timestamp', sql<string>`substr(content, 1, 1000)`.as('content')])
      .where('session_id', 'in', (eb) =>
        eb
          .selectFrom('sessions')
          .select('id')
          .where('effort_id', '=', p.effort_id)
          .union(
            eb
              .selectFrom('life_event')
              .select((of) => of.ref('window_id').$notNull().as('id'))
              .where('effort_id', '=', p.effort_id)
              .where('event_type', 'in', MOVES),
          ),
      )
      .where('role', '=', 'user')
      .orderBy('timestamp', 'desc')
      .orderBy('id', 'desc')
      .limit(sql.lit(500)),
)

/** The beginnings of the last tool messages of a session, newest first. */
export const lastToolMessages = query<{ session_id: number }, Beginning>((db, p) =>
  db
    .selectFrom('messages')
    .select(['role', sql<string>`substr(content, 1, 1000)`.as('content'), 'tool_name', 'timestamp'])
    .where('session_id', '=', p.session_id)
    .where('role', '=', 'tool')
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(50)),
)

const inAllWindows = (roles: readonly Message['role'][]) =>
  query<{ native_id: string }, Beginning>((db, p) =>
    db
      .selectFrom('messages')
      .innerJoin('sessions', 'sessions.id', 'messages.session_id')
      .select(['role', sql<string>`substr(content, 1, 1000)`.as('content'), 'tool_name', 'timestamp'])
      .where('sessions.native_id', '=', p.native_id)
      .where('role', 'in', roles)
      .orderBy('timestamp', 'desc')
      .orderBy('messages.id', 'desc')
      .limit(sql.lit(100)),
  )

/** The beginnings of the last texts of a client's session, in all of its windows, newest first. */
export const lastTextsOf = inAllWindows(['user', 'assistant'])

/** The same of the outcomes of tool calls. */
export const lastCallsOf = inAllWindows(['tool'])

/** What the user and the agent said last in a client's session, in all of its windows, newest first. */
export const lastSaidIn = query<
  { native_id: string; limit: number },
  Pick<Message, 'id' | 'role' | 'content' | 'timestamp'>
>((db, p) =>
  db
    .selectFrom('messages')
    .innerJoin('sessions', 'sessions.id', 'messages.session_id')
    .select(['messages.id', 'role', sql<string>`substr(content, 1, 8000)`.as('content'), 'timestamp'])
    .where('sessions.native_id', '=', p.native_id)
    .where('role', 'in', ['user', 'assistant'])
    .orderBy('timestamp', 'desc')
    .orderBy('messages.id', 'desc')
    .limit(p.limit),
)

/** The first and the last words of the user in a client's session, and how often the user spoke. */
export const askedIn = queryOne<
  { native_id: string },
  { first: string | null; last: string | null; count: number }
>((db, p) => {
  const asked = db
    .selectFrom('messages')
    .innerJoin('sessions', 'sessions.id', 'messages.session_id')
    .where('sessions.native_id', '=', p.native_id)
    .where('messages.role', '=', 'user')
    .where('content', 'not like', '/holdfast-%')
    .where('content', 'not like', '/holdfast:%')
  const words = asked.select(sql<string>`substr(content, 1, 1000)`.as('content')).limit(sql.lit(1))
  return db.selectNoFrom([
    words.orderBy('timestamp').orderBy('messages.id').as('first'),
    words.orderBy('timestamp', 'desc').orderBy('messages.id', 'desc').as('last'),
    asked.select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('count')).as('count'),
  ])
})
