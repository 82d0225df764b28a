import type { HookEvent, ToolCall } from '../../model/event.ts'
import { type NewMessage, short, textsOf, toolMessage } from '../../model/transcript.ts'
import { beginTranscript, insertMessages } from '../../store/message.ts'
import { flushSession } from '../../store/pending.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { catchUp, LATE_MILLISECONDS } from './catch-up.ts'
import type { LookName } from './looks/index.ts'
import type { Looked } from './looks/look.ts'
import { endOf } from './recorders.ts'

/** The events whose messages are stored in their transaction, and what is looked up for them. */
export const messages: {
  readonly on: readonly HookEvent['kind'][]
  readonly looks: readonly LookName[]
} = {
  on: [
    'prompt.submitted',
    'session.started',
    'session.ended',
    'turn.stopped',
    'turn.failed',
    'compact.before',
  ],
  looks: ['transcript'],
}

/** True if the event needs its transaction, even if no rule wakes. */
export const hasMessages = ({ event, transcript }: Looked): boolean =>
  transcript?.isNew === true || transcript?.tail !== undefined || textsOf(event, '').length > 0

/** Stores a prompt, the last message of a turn and the news in the transcript, so that rules can read them. */
export async function keepMessages(tx: Tx, looked: Looked, session: number, call: Call): Promise<void> {
  if (!hasMessages(looked)) return
  const { event, transcript } = looked
  // Outcomes of earlier tool calls come first.
  await flushSession(tx, call.context.store.volatile, session)
  if (transcript?.isNew === true) {
    const { path, size = 0 } = transcript
    await beginTranscript(tx, { id: session, path, offset: size, now: call.now })
  }
  // A start has read the transcript before its window was open.
  const last = event.kind === 'session.started' ? undefined : await catchUp(tx, looked, call, session)
  const told = textsOf(event, call.now)
  // The client may have written the last message of its turn already.
  await insertMessages(
    tx,
    session,
    told.filter((one) => last === undefined || !isSame(one, last)),
  )
}

/** The same words much earlier are another message, whose end is not written yet. */
const isSame = (told: NewMessage, last: NewMessage): boolean =>
  told.role === last.role &&
  told.content === last.content &&
  Math.abs(Date.parse(told.at) - Date.parse(last.at)) <= LATE_MILLISECONDS

/** A refused call never starts, and no event reports its end. */
export async function keepRefusal(
  tx: Tx,
  { tool, reason, session }: { readonly tool: ToolCall; readonly reason: string; readonly session: number },
  call: Call,
): Promise<void> {
  const { volatile } = call.context.store
  volatile.add(session, { calls: endOf([tool]) })
  await flushSession(tx, volatile, session)
  await insertMessages(tx, session, [toolMessage(tool, `refused: ${short(reason)}`, call.now)])
}
