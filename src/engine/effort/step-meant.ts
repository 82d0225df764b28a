import type { EngineError } from '../../model/error.ts'
import { remarksOn } from '../../model/plan/action-words.ts'
import { following } from '../../model/plan/moves.ts'
import { splitPhase } from '../../model/plan/phase.ts'
import { withPhase } from '../../model/plan/phase-judge.ts'
import { type Step, stepOf } from '../../model/plan/plan.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { entryOf, type Mover, standingOf, stepNamed } from './mover.ts'
import { refusedStep } from './refused-step.ts'

/** The named step, which may be a sub-phase of the effort's own; else the only one that follows. */
export function meantToEnter(
  mover: Mover,
  word: string | undefined,
): { readonly mover: Mover; readonly step: Step } {
  const { plan, progress, effort } = mover
  if (word !== undefined && plan.notation === 'phases') {
    const from = effort.current_phase === null ? undefined : splitPhase(effort.current_phase).label
    const joined = { ...mover, plan: withPhase(plan, from, splitPhase(word)) ?? plan }
    return { mover: joined, step: stepNamed(joined, word) }
  }
  if (word !== undefined) return { mover, step: stepNamed(mover, word) }
  const [current] = progress.current
  const [approved, ...others] = mover.approved
  const allowed = others.length === 0 && approved !== undefined ? stepOf(plan, approved) : undefined
  const next = allowed ?? following(plan, progress) ?? entryOf(mover)
  const step = current === undefined ? next : stepNamed(mover, current)
  if (step !== undefined) return { mover, step }
  throw chooseOne(mover, progress.open)
}

/** The named step, else the current one, else the only one that follows; a skip means an optional one. */
export function meantToLeave(mover: Mover, word: string | undefined, outcome = 'ok'): Step {
  if (word !== undefined) return stepNamed(mover, word)
  const { current: begun, open } = mover.progress
  const isOptional = (id: string) => stepOf(mover.plan, id)?.optional === true
  const [optional, ...more] = begun.some(isOptional) ? begun.filter(isOptional) : open.filter(isOptional)
  if (outcome === 'skip' && optional !== undefined && more.length === 0) return stepNamed(mover, optional)
  const [current, ...others] = mover.progress.current
  if (others.length > 0) throw chooseOne(mover, mover.progress.current)
  const step = current === undefined ? following(mover.plan, mover.progress) : stepNamed(mover, current)
  if (step === undefined) throw chooseOne(mover, mover.progress.open)
  return step
}

function chooseOne(mover: Mover, ids: readonly string[]): EngineError {
  const names = ids.map((id) => stepNamed(mover, id).label)
  const { effort } = mover
  const { next, status, reason: parked } = standingOf(mover)
  const reason =
    status === 'parked'
      ? `The plan is parked. ${parked ?? ''}`.trim()
      : status === 'completed'
        ? `Every required step is done. Optional: ${names.join(', ')}.`
        : names.length === 0
          ? 'No step can be meant now.'
          : `Name the step: ${names.join(' or ')}.`
  const hint = next[0] ?? showCommand(effort.id)
  const message = [reason, ...remarksOn([hint])].join(' ')
  return refusedStep(effort, {
    step: '',
    rule: 'plan',
    reason,
    message,
    field: 'step',
    hint,
    code: 'conflict',
  })
}
