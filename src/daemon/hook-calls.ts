import { EngineError } from '../model/error.ts'
import type { Peer } from '../rpc/answer.ts'
import type { HttpOptions } from '../rpc/http.ts'
import type { HookFaults } from './hook-faults.ts'

export const HOOK_METHOD = 'hooks.handle'
export const LINE_METHOD = 'statusline.show'

export type Dispatch = (method: string, params: unknown, peer: Peer) => Promise<unknown>

/** A hook is one call, whose reply is what the client is told, and so is a status line. */
export function clientsOver(dispatch: Dispatch): Pick<HttpOptions, 'handleHook' | 'handleLine'> {
  const nobody = { notify: () => Promise.resolve(), gone: new AbortController().signal }
  const tell = (method: string, client: string, payload: unknown, deadline: number) =>
    dispatch(method, { client, payload }, { ...nobody, deadline })
  return {
    handleHook: async (...told) => ((await tell(HOOK_METHOD, ...told)) as { reply?: unknown }).reply,
    handleLine: async (...told) => ((await tell(LINE_METHOD, ...told)) as { line: string }).line,
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
