import * as z from 'zod'
import { sessionNotFound } from '../../model/error.ts'
import { ROLES } from '../../model/message.ts'
import { insertMessage, listMessages } from '../../store/message.ts'
import { findSession } from '../../store/session.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'

export const append = method({
  name: 'db.messages.append',
  summary: 'Add a message to the transcript of a session.',
  effect: 'durable',
  params: z.strictObject({
    session_id: p.id,
    role: z.enum(ROLES),
    content: p.textUpTo(1_000_000),
    tool_name: p.name.optional().describe('The tool that produced the message.'),
  }),
  async run(tx, params, call) {
    const session = await findSession(tx, { id: params.session_id })
    if (session === undefined) throw sessionNotFound(params.session_id)
    const message = await insertMessage(tx, { ...params, tool_name: params.tool_name ?? null, now: call.now })
    await call.record(tx, {
      event_type: 'message.appended',
      window_id: session.id,
      effort_id: session.effort_id,
      payload: { message_id: message?.id, role: params.role },
    })
    return message
  },
})

export const list = method({
  name: 'db.messages.list',
  summary: 'Read the transcript of a session, oldest first. A page ends at the limit or at 4 MiB.',
  effect: 'read',
  params: z.strictObject({ session_id: p.id, limit: p.limit, offset: p.offset }),
  /** Messages in memory have no id and no place in a page yet. */
  prepare: ({ store }) => store.flush(),
  async run(tx, params) {
    if ((await findSession(tx, { id: params.session_id })) === undefined)
      throw sessionNotFound(params.session_id)
    return await listMessages(tx, params)
  },
})
