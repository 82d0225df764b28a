import type { Progress } from './advance.ts'
import type { Effort } from '../effort.ts'
import { NOTHING_RECORDED, whyUnproved } from './evidence.ts'
import { endAll } from './moves.ts'
import { remarksOn } from './action-words.ts'
import { doneCommand, gives, parkedActions, phaseCommand } from './next-action.ts'
import { judgePhase, type PhaseVerdict } from './phase-judge.ts'
import type { Plan } from './plan.ts'
import { oneLine } from '../text/line.ts'

type Proof = Readonly<Record<string, unknown>>

/** A request to enter a phase, with everything that decides it. */
export interface PhaseMove {
  readonly effort: Effort
  readonly plan: Plan | undefined
  readonly progress: Progress
  readonly label: string
  readonly proof: Proof
  /** Proof whose files have changed since. */
  readonly stale: ReadonlySet<string>
  /** The steps of a parked plan that the user approved. */
  readonly approvedSteps?: readonly string[]
}

/** Why a phase may not be entered, and the command that works instead. */
export interface PhaseRefusal {
  readonly kind: 'unknown' | 'order' | 'proof'
  readonly message: string
  readonly hint: string
  /** The full name of the phase. */
  readonly phase: string
  readonly missing: readonly string[]
}

export const verdictOn = ({ effort, plan, progress, label, proof }: PhaseMove): PhaseVerdict =>
  judgePhase({ plan, progress, current: effort.current_phase, requested: label, proof })

/** The refusal in words, for hooks and methods alike. */
export function refusalOf(
  move: PhaseMove,
  verdict: Extract<PhaseVerdict, { message: string }>,
): PhaseRefusal {
  const { effort, label } = move
  if (verdict.kind === 'unknown')
    return {
      kind: 'unknown',
      message: oneLine(verdict.message),
      hint: `holdfast effort show ${effort.id}`,
      phase: label,
      missing: [],
    }
  const { missing, phase } = verdict
  const isElsewhere = !verdict.allowed.includes(phase)
  const hint = commandThatPasses(move, verdict)
  const blanks = remarksOn([hint]).map((sentence) => ` ${sentence}`)
  return {
    kind: isElsewhere ? 'order' : 'proof',
    message: oneLine(
      `${verdict.message}${whyUnproved(missing, move.plan?.demands, move.stale)}${blanks.join('')}`,
    ),
    hint,
    phase,
    missing,
  }
}

/** The command for the nearest allowed move, with a form for its proof. */
function commandThatPasses(
  move: PhaseMove,
  { phase: wanted, allowed, missing }: Extract<PhaseVerdict, { kind: 'refuse' }>,
): string {
  const { effort, plan, proof } = move
  const target = allowed.includes(wanted) ? wanted : allowed[0]
  if (target === undefined) return plan === undefined ? '' : commandAtEnd({ ...move, plan })
  return phaseCommand(effort.id, target, { plan, missing, said: proof })
}

/** No phase may follow: something is open in this one, the user must decide, or the work is done. */
function commandAtEnd({
  effort,
  plan,
  progress,
  proof,
  approvedSteps,
}: PhaseMove & { readonly plan: Plan }): string {
  const { owed } = endAll(plan, progress, { recorded: NOTHING_RECORDED, proof })
  const done = owed && doneCommand(effort.id, plan, owed.step, { owed, said: proof })
  const [action = `holdfast effort finish ${effort.id}`] = [
    ...gives(plan, progress),
    ...parkedActions(effort.id, plan, progress, approvedSteps),
    ...(done === undefined ? [] : [done]),
  ]
  return action
}
