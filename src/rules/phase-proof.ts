import { refusedMove } from './phase-order.ts'
import { rule } from './rule.ts'

/** What is piped in cannot be seen here: the method itself judges it. */
export const phaseProof = rule({
  name: 'phase-proof',
  summary: 'refuses a command that would leave a phase without its proof, and says what is missing',
  on: ['tool.before'],
  wakes: ({ phase }) => phase?.call !== undefined,
  needs: ['move'],
  judge: (_, facts) => (facts.move?.isProofKnown === true ? refusedMove(facts, ['proof']) : undefined),
})
