import { refusedMove } from './phase-order.ts'
import type { Rule } from './rule.ts'

/** What is piped in cannot be seen here: the method itself judges it. */
export const phaseProof: Rule = {
  name: 'phase-proof',
  summary: 'refuses a command that would leave a phase without its proof, and says what is missing',
  on: ['tool.before'],
  judge: (_, facts) => (facts.move?.isProofKnown === true ? refusedMove(facts, ['proof']) : undefined),
}
