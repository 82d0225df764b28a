import type { HookEvent, ToolCall } from '../../model/event.ts'
import { short, textsOf, toolMessage } from '../../model/transcript.ts'
import { beginTranscript, insertMessages } from '../../store/message.ts'
import { flushSession } from '../../store/pending.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { catchUp } from './catch-up.ts'
import type { LookName } from './looks/index.ts'
import type { Looked } from './looks/look.ts'
import { endOf } from './recorders.ts'

/** Stores something of events of the main thread in their transaction, before the rules. */
interface Keeper {
  readonly name: string
  readonly on: readonly HookEvent['kind'][]
  readonly looks: readonly LookName[]
  /** False if the event has nothing to store. */
  isNeeded(looked: Looked): boolean
  keep(tx: Tx, looked: Looked, session: number, call: Call): Promise<void>
}

/** Keeps prompts and the last message of a turn. */
const texts: Keeper = {
  name: 'texts',
  on: ['prompt.submitted', 'turn.stopped', 'turn.failed'],
  looks: [],
  isNeeded: ({ event }) => textsOf(event, '').length > 0,
  async keep(tx, { event }, session, call) {
    await insertMessages(tx, session, textsOf(event, call.now))
  },
}

/** Keeps the other messages of the client's transcript. */
const transcript: Keeper = {
  name: 'transcript',
  on: ['session.started', 'session.ended', 'turn.stopped', 'turn.failed', 'compact.before'],
  looks: ['transcript'],
  isNeeded: ({ transcript: state }) => state?.isNew === true || state?.tail !== undefined,
  async keep(tx, looked, session, call) {
    const { path, size = 0, isNew } = looked.transcript ?? { path: '' }
    if (isNew === true) await beginTranscript(tx, { id: session, path, offset: size, now: call.now })
    // A start has read the rest of the session before it already.
    else if (looked.event.kind !== 'session.started') await catchUp(tx, looked, call, session)
  },
}

/** All keepers, in order: the transcript is compared with the texts. Add a new one here. */
export const keepers: readonly Keeper[] = [texts, transcript]

const neededFor = (looked: Looked): readonly Keeper[] =>
  keepers.filter((keeper) => keeper.on.includes(looked.event.kind) && keeper.isNeeded(looked))

/** True if the event needs its transaction, even if no rule wakes. */
export const isKept = (looked: Looked): boolean => neededFor(looked).length > 0

/** Pending outcomes of tool calls are written first, so that messages have the order of their events. */
export async function keepEvent(tx: Tx, looked: Looked, session: number, call: Call): Promise<void> {
  const needed = neededFor(looked)
  if (needed.length > 0) await flushSession(tx, call.context.store.volatile, session)
  for (const keeper of needed) await keeper.keep(tx, looked, session, call)
}

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
