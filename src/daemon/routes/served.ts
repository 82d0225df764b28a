import type { Service } from '../../rpc/answer.ts'
import type { HookFaults } from '../hook-faults.ts'

/** What routes are served from. */
export interface Served {
  /** Calls a method of the engine. */
  readonly dispatch: Service['dispatch']
  readonly toError: Service['toError']
  readonly faults: Pick<HookFaults, 'note' | 'close'>
  /** How long a client waits for a hook at most. */
  readonly hookMilliseconds?: number
  /** What a hook reports may hold a whole file, so it may be longer than other messages. */
  readonly hookBytes?: number
}

/** The caller of a route: over HTTP nothing can be sent that was not asked for. */
export const nobody = { notify: () => Promise.resolve(), gone: new AbortController().signal }
