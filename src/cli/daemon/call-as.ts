import { agentIn } from '../../model/agent.ts'
import { EngineError } from '../../model/error.ts'
import type { Io } from '../frame/io.ts'
import type { Remote } from './remote.ts'

/** Calls a method for the caller; an agent that only the environment knows is registered on first use. */
export async function callAs<T>(
  io: Pick<Io, 'env'>,
  remote: Remote,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<T> {
  try {
    return await remote.call<T>(method, params)
  } catch (error) {
    const agent = agentIn(io.env)
    if (agent === undefined || agent !== params['agent_id'] || !isUnknownAgent(error)) throw error
    await remote.call('db.agents.register', { id: agent })
    return await remote.call<T>(method, params)
  }
}

const isUnknownAgent = (error: unknown): boolean =>
  error instanceof EngineError && error.code === 'not-found' && error.field === 'agent_id'
