import { timestamp } from '../../model/clock.ts'
import { type NewMessage, newsIn } from '../../model/transcript.ts'
import { insertMessages, knownMessages, markShown, moveTranscript } from '../../store/message.ts'
import { flushSession } from '../../store/pending.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import type { Looked } from './looks/look.ts'

/** A client writes its lines later than it sends its hooks. */
export const LATE_MILLISECONDS = 60_000

/**
 * Adds the messages of the transcript that no hook reported to a window, by default the newest one. Returns the last
 * message of the transcript if it is one of them.
 */
export async function catchUp(
  tx: Tx,
  { event, transcript }: Looked,
  call: Call,
  window?: number,
): Promise<NewMessage | undefined> {
  if (transcript?.tail === undefined) return undefined
  const { messages, keeper, newest, from, to, since } = transcript.tail
  // A client with duplicate hooks reports everything twice.
  if ((await moveTranscript(tx, { id: keeper, from, to, now: call.now })) === undefined) return undefined
  if (messages.length === 0) return undefined
  const session = window ?? newest
  // Outcomes that hooks have reported may still be in memory.
  await flushSession(tx, call.context.store.volatile, session)
  const earliest = since === '' ? '' : timestamp(Date.parse(since) - LATE_MILLISECONDS)
  const known = await knownMessages(tx, { native_id: event.session ?? '', since: earliest })
  const { missing, shown } = newsIn(messages, known.toReversed())
  for (const { id, nativeId } of shown) await markShown(tx, { id, native_id: nativeId })
  await insertMessages(tx, session, missing)
  const [last, added] = [messages.at(-1), missing.at(-1)]
  return last?.at === added?.at && last?.content === added?.content ? last : undefined
}
