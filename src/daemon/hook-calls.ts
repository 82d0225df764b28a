import type { call } from '../engine/call/call.ts'
import type { Context } from '../engine/call/context.ts'
import type { Counts } from '../model/count.ts'
import { EngineError } from '../model/error.ts'
import type { Service } from '../rpc/answer.ts'
import type { HookFaults } from './hook-faults.ts'

export const HOOK_METHOD = 'hooks.handle'
export const LINE_METHOD = 'statusline.show'

type Dispatch = Service['dispatch']

/** Passes every call to the engine and counts it. */
export function counting(counts: Counts, callMethod: typeof call, context: Context): Dispatch {
  return (method, params, peer) => {
    counts.calls++
    if (method === HOOK_METHOD || method === LINE_METHOD) counts.hooks++
    return callMethod(context, method, params, peer)
  }
}

/** Notes failed hooks, because a client does not show their errors to the user. */
export function noting(faults: HookFaults, dispatch: Dispatch): Dispatch {
  return async (method, params, peer) => {
    if (method !== HOOK_METHOD) return await dispatch(method, params, peer)
    try {
      return await dispatch(method, params, peer)
    } catch (cause) {
      const { client, payload } = Object(params) as { client?: unknown; payload?: unknown }
      const fault = {
        client: typeof client === 'string' ? client : 'unknown',
        problem: 'The hook failed.',
        cause,
      }
      const reply = faults.tell(payload, fault)
      faults.note(fault)
      if (reply === undefined) throw cause
      return { reply }
    }
  }
}

/** Refuses methods that run a program; only the socket, which needs no token, allows them. */
export function withoutPrograms(dispatch: Dispatch): Dispatch {
  return async (method, params, peer) => {
    if (method === 'daemon.handOver')
      throw new EngineError(
        'forbidden',
        'daemon.handOver works only over the socket of the daemon, not over HTTP.',
      )
    return await dispatch(method, params, peer)
  }
}
