import type { Progress } from './advance.ts'
import type { Effort } from '../effort.ts'
import { NOTHING_RECORDED, whyUnproved } from './evidence.ts'
import { endAll, owedFor } from './moves.ts'
import { fillIn, remarksOn } from './action-words.ts'
import { doneCommand, gives, parkedActions, phaseCommand } from './next-action.ts'
import { phaseText } from './phase.ts'
import { judgePhase, nextPhases, type PhaseVerdict } from './phase-judge.ts'
import { type Plan, stepOf } from './plan.ts'
import { isDeciding, leftOutAs } from './plan-for.ts'
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
  if (verdict.kind === 'unknown') return leftOutOf(move) ?? unknownIn(move, verdict.message)
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

const unknownIn = ({ effort, label }: PhaseMove, message: string): PhaseRefusal => ({
  kind: 'unknown',
  message: oneLine(message),
  hint: `holdfast effort show ${effort.id}`,
  phase: label,
  missing: [],
})

/** The refusal of a phase that the mode or the variables leave out; undefined for any other. */
function leftOutOf(move: PhaseMove): PhaseRefusal | undefined {
  const { plan, label } = move
  const step = plan === undefined ? undefined : leftOutAs(plan, label)
  if (plan === undefined || step === undefined) return undefined
  const phase = phaseText({ label: step.label, name: step.title })
  const hint = leaving({ ...move, plan }) ?? commandThatPasses(move, { phase, ...allowedIn(plan, move) })
  const blanks = fillIn([hint]).map((sentence) => ` ${sentence}`)
  const message = oneLine(`Phase ${JSON.stringify(phase)} is left out of this effort.${blanks.join('')}`)
  return { kind: 'order', message, hint, phase, missing: [] }
}

const allowedIn = (plan: Plan, { progress }: PhaseMove) => ({
  allowed: nextPhases(plan, progress),
  missing: [],
})

/** The command that ends the current phase, with the proof that was given; undefined if none is current. */
function leaving({ effort, plan, progress, proof }: PhaseMove & { readonly plan: Plan }): string | undefined {
  const [current] = progress.current
  const step = current === undefined ? undefined : stepOf(plan, current)
  if (step === undefined) return undefined
  const owed = owedFor(plan, progress, step, { recorded: NOTHING_RECORDED, proof })
  return owed.reports > 0 ? undefined : doneCommand(effort.id, plan, step, { owed, said: proof })
}

/** The command for the nearest allowed move, with a form for its proof. */
function commandThatPasses(
  move: PhaseMove,
  {
    phase: wanted,
    allowed,
    missing,
  }: Pick<Extract<PhaseVerdict, { kind: 'refuse' }>, 'phase' | 'allowed' | 'missing'>,
): string {
  const { effort, plan, proof } = move
  const decided = plan !== undefined && isDeciding(plan, missing) ? leaving({ ...move, plan }) : undefined
  if (decided !== undefined) return decided
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
