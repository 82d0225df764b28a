import * as z from 'zod'
import { EngineError } from '../../model/error.ts'
import { lastSaidIn } from '../../store/message.ts'
import { findLastByNative, toSession } from '../../store/session.ts'
import { placeOfSession } from '../../store/workplace.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'

/** What was said in a session of a client, as a search finds it: no tool call and no step. */
export const sessionShow = method({
  name: 'db.session.show',
  summary: 'Show what you and the agent said in a session, oldest first; the newest part of a long one.',
  effect: 'read',
  params: z.strictObject({
    session: p.name.describe(
      "The client's id of the session, as in holdfast search and session list --json.",
    ),
    limit: z.int().min(1).max(1000).default(40).describe('Maximum number of messages.'),
  }),
  prepare: ({ store }) => store.flush(),
  async run(tx, { session: native_id, limit }, { context }) {
    const row = await findLastByNative(tx, { native_id })
    if (row === undefined || row.scope_of !== null)
      throw new EngineError('not-found', `No session has the id ${JSON.stringify(native_id)}.`, {
        field: 'session',
        hint: 'holdfast session list',
      })
    const messages = (await lastSaidIn(tx, { native_id, limit })).toReversed()
    return {
      native_id,
      client: row.client,
      workplace: (await placeOfSession(tx, toSession(row)))?.root ?? null,
      resume: context.clients.get(row.client ?? '')?.resume(native_id) ?? null,
      messages,
    }
  },
})
