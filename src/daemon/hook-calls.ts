import { EngineError } from '../model/error.ts'
import type { Peer } from '../rpc/answer.ts'
import type { HookFaults } from './hook-faults.ts'

export const HOOK_METHOD = 'hooks.handle'

export type Dispatch = (method: string, params: unknown, peer: Peer) => Promise<unknown>

/** A hook is one call, whose reply is what the client is told. */
export function hooksOver(dispatch: Dispatch) {
  const nobody = { notify: () => Promise.resolve(), gone: new AbortController().signal }
  return async (client: string, payload: unknown, deadline: number): Promise<unknown> => {
    const answer = await dispatch(HOOK_METHOD, { client, payload }, { ...nobody, deadline })
    return (answer as { reply?: unknown }).reply
  }
}

/** Over the socket a failure is told to its caller, but a hook's caller is a client that shows it to nobody. */
export function noting(faults: HookFaults, dispatch: Dispatch): Dispatch {
  return async (method, params, peer) => {
    if (method !== HOOK_METHOD) return await dispatch(method, params, peer)
    try {
      return await dispatch(method, params, peer)
    } catch (cause) {
      const { client } = Object(params) as { client?: unknown }
      faults.note({ client: String(client), problem: 'The hook failed.', cause })
      throw cause
    }
  }
}

/** What names a program to run is taken from the socket only, which no token opens. */
export function withoutPrograms(dispatch: Dispatch): Dispatch {
  return async (method, params, peer) => {
    if (method === 'daemon.handOver')
      throw new EngineError('forbidden', 'This daemon hands over only to who asks over its socket.')
    return await dispatch(method, params, peer)
  }
}
