import { advance, type Advance, begin, type Progress } from './advance.ts'
import type { Plan } from './plan.ts'

/**
 * Reading a step is beginning it. Where reading is enough (gate `visited`), going on to the next one ends what was
 * read before; where artifacts must be recorded, only they do. What was visited may always be read again.
 */
export function visit(plan: Plan, progress: Progress, step: string): Advance {
  // A step may be called anything, also what every object inherits.
  if (Object.hasOwn(progress.visits, step)) return { ok: true, progress }
  return advance(plan, leaveAll(plan, progress), { kind: 'enter', step })
}

function leaveAll(plan: Plan, progress: Progress): Progress {
  if (plan.gate !== 'visited') return progress
  return progress.current.reduce((before, step) => {
    const left = advance(plan, before, { kind: 'leave', step, outcome: 'ok' })
    return left.ok ? left.progress : before
  }, progress)
}

/** What may be read next, in the order of the plan. */
export function nextSteps(plan: Plan, progress: Progress): readonly string[] {
  const open = new Set(leaveAll(plan, progress).open)
  return plan.steps.filter(({ id }) => open.has(id)).map(({ id }) => id)
}

/** Whether everything that must be visited was. */
export const isVisited = (plan: Plan, progress: Progress): boolean =>
  leaveAll(plan, progress).status === 'completed'

/** A plan may change while it is carried out: what was visited is carried over as far as it fits the plan of now. */
export const replay = (plan: Plan, visited: readonly string[]): Progress =>
  visited.reduce((progress, step) => {
    const next = visit(plan, progress, step)
    return next.ok ? next.progress : progress
  }, begin(plan))
