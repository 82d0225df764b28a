import { sql } from 'kysely'
import type { Message } from '../model/message.ts'
import { query, queryOne } from './query.ts'

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
    .returningAll(),
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
    .selectAll('messages')
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
