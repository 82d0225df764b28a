import { type PhaseRefusal, refusalOf, verdictOn } from '../model/plan/phase-refusal.ts'
import type { Facts } from './facts.ts'
import { rule, type Verdict } from './rule.ts'

/** A command that enters a phase is judged before it runs, as the method would judge it. */
export const phaseOrder = rule({
  name: 'phase-order',
  summary: 'refuses a command that would enter a phase out of order, and says which comes next',
  on: ['tool.before'],
  wakes: ({ phase }) => phase?.call !== undefined,
  needs: ['move'],
  judge: (_, facts) => refusedMove(facts, ['unknown', 'order']),
})

/** What is said where the move of a command is refused for one of these reasons. */
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
  const next = kind === 'unknown' ? 'What there is shows' : 'Instead, run'
  return { block: { reason: `${message} ${next}: ${hint}`, skill, phase, effort: id } }
}
