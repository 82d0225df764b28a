import { type PhaseRefusal, refusalOf, verdictOn } from '../model/plan/phase-refusal.ts'
import type { Facts } from './facts.ts'
import { inWords } from './told/next-action.ts'
import { rule, type Verdict } from './rule.ts'

/** Judges a command that enters a phase before it runs, as the method would. */
export const phaseOrder = rule({
  name: 'phase-order',
  summary: 'refuses a command that enters a phase out of order, and names the next phase',
  on: ['tool.before'],
  wakes: ({ phase }) => phase?.call !== undefined,
  needs: ['move'],
  judge: (_, facts) => refusedMove(facts, ['unknown', 'order']),
})

/** The refusal of a phase move, if it fails for one of these reasons. */
export function refusedMove(
  { move }: Pick<Facts, 'move'>,
  kinds: readonly PhaseRefusal['kind'][],
): Verdict | undefined {
  if (move === undefined) return undefined
  const verdict = verdictOn(move)
  if (verdict.kind === 'same' || verdict.kind === 'enter') return undefined
  const { kind, message, hint, phase } = refusalOf(move, verdict)
  if (!kinds.includes(kind) || move.approved.includes(phase)) return undefined
  const { id, skill } = move.effort
  return { block: { reason: `${message} Next: ${inWords(hint)}`, skill, phase, effort: id } }
}
