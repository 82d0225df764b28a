import type { Effort } from '../../model/effort.ts'
import type { Session } from '../../model/session.ts'
import type { Tx } from '../../store/query.ts'
import { newestOpenOfAgent } from '../../store/session.ts'
import type { Call } from '../call/method.ts'
import { keepLevel } from './level-kept.ts'
import { startSession } from './session-window.ts'

interface ShellStart {
  readonly native_id?: string | undefined
  readonly client?: string | undefined
  readonly pid?: number | undefined
  readonly agent_id?: string | undefined
  readonly effort: Effort
}

/** Opens the session of a command that starts an effort; a caller without an identity has none. */
export async function openWindowFor(tx: Tx, start: ShellStart, call: Call): Promise<Session | undefined> {
  const { native_id, client, pid, agent_id, effort } = start
  if (native_id === undefined && client === undefined && agent_id === undefined) return undefined
  const { task_id, id: effort_id } = effort
  await keepLevel(tx, { native_id, task_id }, call.context)
  const known = native_id === undefined ? await windowOfAgent(tx, agent_id) : undefined
  return await startSession(tx, { task_id, effort_id, native_id, client, pid, agent_id, ...known }, call)
}

/** An agent whose shell does not know its session still has one, which goes on. */
async function windowOfAgent(tx: Tx, agent_id: string | undefined) {
  const open = agent_id === undefined ? undefined : await newestOpenOfAgent(tx, { agent_id })
  if (open?.native_id == null) return undefined
  return { native_id: open.native_id, ...(open.client !== null && { client: open.client }) }
}
