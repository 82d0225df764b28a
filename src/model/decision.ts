import { contained } from './text/foreign.ts'
import { withProgram } from './text/told-commands.ts'
import { inOurVoice } from './text/voice.ts'

interface Said {
  /** What the agent should know from here on. */
  readonly contexts: readonly string[]
  /** What the user should see. */
  readonly notice?: string | undefined
}

/** Our answer to a client event. A reason says what is missing and what to do next; `ask` leaves it to the user. */
export type Decision = Said &
  ({ readonly kind: 'allow' } | { readonly kind: 'ask' | 'block'; readonly reason: string })

/** The decision as the agent and the user read it: each text names its speaker, and foreign words in it stay words. */
export const spoken = (decision: Decision): Decision =>
  mapped(decision, (text) => inOurVoice(contained(text)))

/** Clients cut contexts at 10,000 characters. */
const LONGEST_TOLD = 9_900

/** The decision for a reader who must call our program by this name; stored texts keep the short one. */
export function addressed(decision: Decision, program: string): Decision {
  const told = mapped(decision, (text) => withProgram(text, program))
  const length = told.contexts.reduce((sum, text) => sum + text.length, 0)
  if (length <= LONGEST_TOLD || told.contexts.every((text, index) => text === decision.contexts[index]))
    return told
  // Long names must not push out what the agent has to know.
  return { ...told, contexts: [callIt(program), ...decision.contexts] }
}

const callIt = (program: string): string =>
  inOurVoice(`In the commands below, write ${program} instead of holdfast.`)

const mapped = (decision: Decision, change: (text: string) => string): Decision => ({
  ...decision,
  ...(decision.kind !== 'allow' && { reason: change(decision.reason) }),
  contexts: decision.contexts.map(change),
  ...(decision.notice !== undefined && { notice: change(decision.notice) }),
})
