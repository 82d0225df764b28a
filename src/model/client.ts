import type { Decision } from './decision.ts'
import type { HookEvent } from './event.ts'

/** What a client does with an answer to one of its events. */
export interface Honours {
  readonly kind: HookEvent['kind']
  /** What a block comes to; nothing where the event cannot be refused. */
  readonly block?: string | undefined
  /** With which decisions contexts reach the agent. */
  readonly context: readonly Decision['kind'][]
  /** With which decisions a notice reaches the user. */
  readonly notice: readonly Decision['kind'][]
}

/** An agent program that we can be hooked into. Both directions are pure and throw nothing, whatever they are given. */
export interface Client {
  readonly name: string
  /** Its events by the names that it gives them. */
  readonly events: ReadonlyMap<string, Honours>
  decode(payload: unknown): HookEvent
  /** The body of the reply, or nothing for an empty one. What the client would drop or misread is left out. */
  encode(decision: Decision, event: HookEvent): unknown
}
