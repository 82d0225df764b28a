import { refusedMove } from './phase-order.ts'
import { rule } from './rule.ts'

/** Piped proof is invisible here, so the method judges it. */
export const phaseProof = rule({
  name: 'phase-proof',
  summary: 'refuses a command that leaves a phase without its proof, and names the missing fields',
  on: ['tool.before'],
  wakes: ({ phase }) => phase?.call !== undefined,
  needs: ['move'],
  judge: (_, facts) => (facts.move?.isProofKnown === true ? refusedMove(facts, ['proof']) : undefined),
})
