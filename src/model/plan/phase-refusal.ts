import type { Progress } from './advance.ts'
import type { Effort } from '../effort.ts'
import { demandOf, isDemanding } from './evidence.ts'
import { phaseCommand } from './next-action.ts'
import { judgePhase, type PhaseVerdict } from './phase-judge.ts'
import type { Plan } from './plan.ts'

type Proof = Readonly<Record<string, unknown>>

/** A wish of somebody to enter a phase, with all that it is judged by. */
export interface PhaseMove {
  readonly effort: Effort
  readonly plan: Plan | undefined
  readonly progress: Progress
  readonly label: string
  readonly proof: Proof
  /** What was proved before what it covers has changed. */
  readonly stale: ReadonlySet<string>
}

/** Why a phase may not be entered, and the command that could be run instead. */
export interface PhaseRefusal {
  readonly kind: 'unknown' | 'order' | 'proof'
  readonly message: string
  readonly hint: string
  /** The phase as it is called in full. */
  readonly phase: string
  readonly missing: readonly string[]
}

export const verdictOn = ({ effort, plan, progress, label, proof }: PhaseMove): PhaseVerdict =>
  judgePhase({ plan, progress, current: effort.current_phase, requested: label, proof })

/** What is told of a refusal, whoever asked. */
export function refusalOf(
  move: PhaseMove,
  verdict: Extract<PhaseVerdict, { message: string }>,
): PhaseRefusal {
  const { effort, label } = move
  if (verdict.kind === 'unknown')
    return {
      kind: 'unknown',
      message: verdict.message,
      hint: `holdfast effort show ${effort.id}`,
      phase: label,
      missing: [],
    }
  const { missing, phase } = verdict
  const isElsewhere = !verdict.allowed.includes(phase)
  const escape = isElsewhere ? ' The user may allow it with --reason.' : ''
  return {
    kind: isElsewhere ? 'order' : 'proof',
    message: `${verdict.message}${whyUnproved(missing, move)}${escape}`,
    hint: commandThatPasses(move, verdict),
    phase,
    missing,
  }
}

const whyUnproved = (missing: readonly string[], { plan, stale }: PhaseMove): string =>
  missing
    .map((field) => ({ field, demand: demandOf(plan?.demands, field) }))
    .filter(({ demand }) => isDemanding(demand))
    .map(({ field, demand }) =>
      stale.has(field)
        ? ` The files that ${field} covers have changed since it was proved.`
        : ` A word is not enough for ${field}: the plan wants ${demand.command} run.`,
    )
    .join('')

/** The nearest move that the plan allows from here, with the form of the proof that it asks for. */
function commandThatPasses(
  { effort, plan, proof }: PhaseMove,
  { phase: wanted, allowed, missing }: Extract<PhaseVerdict, { kind: 'refuse' }>,
): string {
  const target = allowed.includes(wanted) ? wanted : allowed[0]
  if (target === undefined) return `holdfast effort finish ${effort.id}`
  return phaseCommand(effort.id, target, { plan, missing, said: proof })
}
