import { inOurVoice } from './text/voice.ts'

interface Said {
  /** What the agent should know from here on. */
  readonly contexts: readonly string[]
  /** What the user should see. */
  readonly notice?: string | undefined
}

/** Our answer to a client event. A reason says what is missing and what to do next. */
export type Decision = Said &
  ({ readonly kind: 'allow' } | { readonly kind: 'block'; readonly reason: string })

/** The decision as the agent and the user read it: each text names its speaker. */
export const spoken = (decision: Decision): Decision => ({
  ...decision,
  ...(decision.kind === 'block' && { reason: inOurVoice(decision.reason) }),
  contexts: decision.contexts.map(inOurVoice),
  ...(decision.notice !== undefined && { notice: inOurVoice(decision.notice) }),
})
