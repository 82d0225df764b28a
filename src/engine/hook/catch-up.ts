import { timestamp } from '../../model/clock.ts'
import { newsIn } from '../../model/transcript.ts'
import { insertMessages, knownMessages, markShown, moveTranscript } from '../../store/message.ts'
import { flushSession } from '../../store/pending.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import type { Looked } from './looks/look.ts'

/** A client writes its lines later than it sends its hooks. */
const LATE_MILLISECONDS = 60_000

/** Adds the messages of the transcript that no hook reported to a window, by default the newest one. */
export async function catchUp(
  tx: Tx,
  { event, transcript }: Looked,
  call: Call,
  window?: number,
): Promise<void> {
  if (transcript?.tail === undefined) return
  const { messages, keeper, newest, from, to, since } = transcript.tail
  // A client with duplicate hooks reports everything twice.
  if ((await moveTranscript(tx, { id: keeper, from, to, now: call.now })) === undefined) return
  if (messages.length === 0) return
  const session = window ?? newest
  // The outcomes that hooks have reported may be still in memory.
  await flushSession(tx, call.context.store.volatile, session)
  const earliest = since === '' ? '' : timestamp(Date.parse(since) - LATE_MILLISECONDS)
  const known = await knownMessages(tx, { native_id: event.session ?? '', since: earliest })
  const { missing, shown } = newsIn(messages, known.toReversed())
  for (const { id, nativeId } of shown) await markShown(tx, { id, native_id: nativeId })
  await insertMessages(tx, session, missing)
}
