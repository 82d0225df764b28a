import { timestamp } from '../../model/clock.ts'
import type { HookEvent } from '../../model/event.ts'
import type { Session } from '../../model/session.ts'
import type { Past } from '../../rules/told/past.ts'
import { lastCallsOf, lastTextsOf } from '../../store/message.ts'
import type { Tx } from '../../store/query.ts'
import { lastEndedBefore } from '../../store/other-sessions.ts'
import { clientState } from './client-process.ts'
import type { Context } from '../call/context.ts'

/** The session whose past a context hears of. */
export interface Told {
  readonly whose: Past['whose']
  readonly native_id: string
  readonly client: string
}

/** The client ends the old session and begins the new one at once. */
const CLEARED_MILLISECONDS = 60_000
/** What stopped longer ago is no news. */
const STOPPED_MILLISECONDS = 24 * 60 * 60 * 1000

/** Sessions further back are not looked for. */
const MOST_SINCE = 1000

/** Its own past; after a clear, that of the session before; in a new session, one that stopped without an end. */
export async function pastToTell(
  tx: Tx,
  session: Session,
  event: HookEvent,
  context: Context,
): Promise<Told | undefined> {
  const { id, native_id, workplace_id } = session
  if (native_id === null || session.scope_of !== null || event.kind !== 'session.started') return undefined
  const { source, client, isBack } = event
  if (isBack === true) return undefined
  if (source !== 'clear' && source !== 'startup') return { whose: 'own', native_id, client }
  const age = source === 'clear' ? CLEARED_MILLISECONDS : STOPPED_MILLISECONDS
  const at = { id, after: id - MOST_SINCE, workplace_id }
  const since = timestamp(context.clock.now() - age)
  const last = await lastEndedBefore(tx, { ...at, native_id, client, since })
  const before = last?.native_id ?? undefined
  if (before === undefined) return undefined
  if (source === 'clear') return { whose: 'cleared', native_id: before, client }
  // A silent session may be open in another terminal.
  const isGone =
    last?.ended_reason === 'orphaned' && (await clientState(tx, before, context.machine)) === 'gone'
  return isGone ? { whose: 'stopped', native_id: before, client } : undefined
}

/** What the store knows of it; undefined if nobody has spoken in it. */
export async function loadPast(
  tx: Tx,
  { whose, native_id, client }: Told,
  windows: readonly Session[],
  { clients }: Pick<Context, 'clients'>,
): Promise<Past | undefined> {
  const texts = await lastTextsOf(tx, { native_id })
  if (texts.length === 0) return undefined
  const calls = await lastCallsOf(tx, { native_id })
  return {
    whose,
    at:
      [texts[0], calls[0]]
        .flatMap((one) => one?.timestamp ?? [])
        .toSorted()
        .at(-1) ?? '',
    texts,
    calls,
    todos: windows.find(({ todos }) => todos.length > 0)?.todos ?? [],
    resume: clients.get(client)?.resume(native_id),
  }
}
