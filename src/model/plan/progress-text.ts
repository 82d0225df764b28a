import type { Progress } from './advance.ts'
import { isDone } from './inputs.ts'
import { counted, listed } from '../text/line.ts'
import { stepsLeft } from './moves.ts'
import { type Plan, stepOf } from './plan.ts'

const ROOM = 300

/** How far a plan is carried out, in the same words everywhere: what is done of the required steps, and what is started. */
export function progressText(plan: Plan, progress: Progress): string {
  const started = progress.current.map((id) => stepOf(plan, id)?.label ?? id)
  return [
    doneText(plan, progress),
    ...(started.length === 0 ? [] : [`started: ${listed(started, ROOM)}`]),
  ].join(', ')
}

/** The count alone. Alternatives that were not taken are not required. */
export function doneText(plan: Plan, progress: Progress): string {
  const left = new Set(stepsLeft(plan, progress).map(({ id }) => id))
  const done = plan.steps.filter(
    (step) => !step.optional && !left.has(step.id) && isDone(step, progress.visits),
  )
  return `${done.length} of ${counted(done.length + left.size, 'step')} done`
}
