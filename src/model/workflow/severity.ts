import type { Severity } from './view.ts'

const MOST_ROUNDS_FOR = { COULD: 3, SHOULD: 4 } as const

/** The severities that block in a round: fewer with time, so that a loop ends on what matters. */
export function blockingIn(iteration: number): readonly Severity[] {
  if (iteration <= MOST_ROUNDS_FOR.COULD) return ['MUST', 'SHOULD', 'COULD']
  if (iteration <= MOST_ROUNDS_FOR.SHOULD) return ['MUST', 'SHOULD']
  return ['MUST']
}
