import { missingFrom } from '../../model/transcript.ts'
import { insertMessages, knownMessages, moveTranscript } from '../../store/message.ts'
import type { Tx } from '../../store/query.ts'
import type { Tail } from './looks/transcript.ts'

/** Adds the messages that the hooks of an interrupted session could not report. */
export async function catchUp(tx: Tx, tail: Tail, now: string): Promise<void> {
  const { session, messages, from, to, since } = tail
  if (messages.length === 0) return
  // A client with duplicate hooks reports its return twice.
  if ((await moveTranscript(tx, { id: session, from, to, now })) === undefined) return
  const rows = await knownMessages(tx, { session_id: session })
  await insertMessages(tx, session, missingFrom(messages, rows.toReversed(), since))
}
