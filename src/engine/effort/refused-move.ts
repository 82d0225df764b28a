import type { EngineError } from '../../model/error.ts'
import { remarksOn } from '../../model/plan/action-words.ts'
import { whyUnproved } from '../../model/plan/evidence.ts'
import type { Moved, Owed } from '../../model/plan/moves.ts'
import {
  doneCommand,
  isInFile,
  nameOf,
  nextActions,
  showCommand,
  startCommand,
  stepCommand,
  toGive,
} from '../../model/plan/next-action.ts'
import { isPrinted, type Step } from '../../model/plan/plan.ts'
import { waysOn } from '../../model/plan/ways.ts'
import type { Mover } from './mover.ts'
import { refusedStep } from './refused-step.ts'

type Proof = Readonly<Record<string, unknown>>

/** The error for a refused move, with the command that works; the ledger records it. */
export function refusedMove(
  mover: Mover,
  step: Step,
  { why, owed }: Extract<Moved, { ok: false }>,
  said: Proof,
): EngineError {
  const { effort, plan, progress, recorded } = mover
  const field = owed === undefined ? 'step' : owed.proof.length > 0 ? 'proof' : 'artifacts'
  const [next = showCommand(effort.id)] =
    progress.open.includes(step.id) && !isPrinted(plan)
      ? [startCommand(effort.id, plan, step)]
      : nextActions(effort, mover)
  const hint = owed === undefined ? next : wayOut(mover, owed, said)
  const unproved = whyUnproved(
    [...(owed?.proof ?? []), ...(owed?.artifacts ?? [])],
    plan.demands,
    recorded.stale,
  )
  const message = [`${why}${unproved}`, ...remarksOn([hint])].join(' ')
  return refusedStep(effort, { step: step.id, rule: 'plan', reason: why, message, field, hint })
}

/** What the step that owes something needs next. */
function wayOut(mover: Mover, owed: Owed, said: Proof): string {
  const { effort, plan, progress } = mover
  const { step } = owed
  if (isPrinted(plan)) return waysOn(effort.id, mover, step)[0]?.command ?? showCommand(effort.id)
  // Sub-agents count only for a step that has started; a file starts when they get it.
  const isBegun = progress.current.includes(step.id)
  if (owed.reports > 0 && (isBegun || isInFile(plan, step)))
    return toGive(plan, step, isBegun ? progress.visits[step.id] : undefined) ?? ''
  if (owed.isUnread || owed.reports > 0) return stepCommand('go', effort.id, nameOf(plan, step))
  return doneCommand(effort.id, plan, step, { owed, said })
}
