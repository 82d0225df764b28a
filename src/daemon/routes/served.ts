import type { Service } from '../../rpc/answer.ts'
import type { HookFaults } from '../hook-faults.ts'

/** What the routes need from the daemon. */
export interface Served {
  /** Calls a method of the engine. */
  readonly dispatch: Service['dispatch']
  readonly toError: Service['toError']
  readonly faults: Pick<HookFaults, 'note' | 'close' | 'tell'>
  /** The longest time that a client waits for a hook. */
  readonly hookMilliseconds?: number
  /** The limit for hook payloads, which may contain a whole file. */
  readonly hookBytes?: number
}

/** The caller of a route, which cannot receive notifications over HTTP. */
export const nobody = { notify: () => Promise.resolve(), gone: new AbortController().signal }
