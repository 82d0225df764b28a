import { scopeId, type Session } from '../../model/session.ts'
import type { Tx } from '../../store/query.ts'
import {
  findLastByNative,
  findOpenByNative,
  findOpenOfAgent,
  openScopesOf,
  type SessionRow,
  toSession,
} from '../../store/session.ts'
import type { Context } from '../call/context.ts'
import { subagentsRunning } from '../skill/agent-calls.ts'
import type { Asker } from './holder.ts'

/** Who runs a command in a client: its main thread, or a sub-agent in its scope. */
export interface Thread {
  readonly asker: Asker
  /** The scope, if a sub-agent runs the command. */
  readonly scope?: Session
  /** The threads that run a command now, if several do; nothing tells which of them calls. */
  readonly several: readonly Session[]
}

/** The thread that calls: all threads of a client have the same shell, so the running tool call decides. */
export async function threadOf(
  tx: Tx,
  { agent_id, native_id }: Asker,
  { store: { volatile } }: Pick<Context, 'store'>,
): Promise<Thread> {
  const isBeside = (await lenderOf(tx, { agent_id, native_id })) !== undefined
  const asker = { agent_id: isBeside ? undefined : agent_id, native_id }
  const scopes = native_id === undefined ? [] : await openScopesOf(tx, { scope_of: native_id })
  if (native_id === undefined || scopes.length === 0) return { asker, several: [] }
  const main = await findOpenByNative(tx, { native_id })
  // A sub-agent without a scope does the work of the main thread.
  const isForMain = subagentsRunning(native_id).some(
    (agent) => !scopes.some((scope) => scope.native_id === scopeId(native_id, agent)),
  )
  const running = [...(main === undefined ? [] : [main]), ...scopes]
    .map((row) => volatile.overlay(toSession(row)))
    .filter(
      ({ id, open_calls: calls }) =>
        (isForMain && id === main?.id) || calls.some(({ is_command: isCommand }) => isCommand === true),
    )
  const [only, second] = running
  if (second !== undefined) return { asker, several: running }
  if (only === undefined || only.native_id === native_id) return { asker, several: [] }
  return { asker: { agent_id: undefined, native_id: only.native_id ?? undefined }, scope: only, several: [] }
}

/** The session that works in the name of an agent, if the caller is another session beside it. */
export async function lenderOf(tx: Tx, { agent_id, native_id }: Asker): Promise<SessionRow | undefined> {
  if (agent_id === undefined || native_id === undefined) return undefined
  if ((await findLastByNative(tx, { native_id }))?.agent_id === agent_id) return undefined
  const open = await findOpenOfAgent(tx, { agent_id })
  return open.find((window) => window.native_id !== null && window.native_id !== native_id)
}
