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

export const listMessages = query<{ session_id: number; limit: number; offset: number }, Message>((db, p) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('session_id', '=', p.session_id)
    .orderBy('id')
    .limit(p.limit)
    .offset(p.offset),
)
