import { advance, type Advance, begin, type Progress, type Visit } from './advance.ts'
import type { Plan } from './plan.ts'

/**
 * Reading a step is beginning it. Where reading is enough (gate `visited`), going on to the next one ends what was
 * read before; where artifacts must be recorded, only they do. What was visited may always be read again.
 */
export function visit(plan: Plan, progress: Progress, step: string, approved = false): Advance {
  // A step may be called anything, also what every object inherits.
  if (Object.hasOwn(progress.visits, step)) return { ok: true, progress }
  return advance(plan, leaveRead(plan, progress), { kind: 'enter', step, approved })
}

const leaveRead = (plan: Plan, progress: Progress): Progress =>
  plan.gate === 'visited' ? leaveAll(plan, progress) : progress

/** What is begun counts as done with whatever comes next. */
export function leaveAll(plan: Plan, progress: Progress): Progress {
  return progress.current.reduce((before, step) => {
    const left = advance(plan, before, { kind: 'leave', step, outcome: 'ok' })
    return left.ok ? left.progress : before
  }, progress)
}

/** What may be read next, in the order of the plan. */
export function nextSteps(plan: Plan, progress: Progress): readonly string[] {
  const open = new Set(leaveRead(plan, progress).open)
  return plan.steps.filter(({ id }) => open.has(id)).map(({ id }) => id)
}

/** Whether everything that must be visited was. */
export const isVisited = (plan: Plan, progress: Progress): boolean =>
  leaveRead(plan, progress).status === 'completed'

/** A plan may change while it is carried out: what was visited is carried over as far as it fits the plan of now. */
export const replay = (plan: Plan, visited: readonly string[], visits: Progress['visits'] = {}): Progress =>
  visited.reduce((progress, step) => {
    if (plan.gate === 'produced') return doAgain(plan, progress, step, visits[step])
    const next = visit(plan, progress, step)
    return next.ok ? next.progress : progress
  }, begin(plan))

/** Where reading is not enough, how a step ended is carried over too, and how often it was tried. */
function doAgain(plan: Plan, progress: Progress, step: string, past: Visit | undefined): Progress {
  const attempts = (past?.attempts ?? 1) - 1
  const tried = attempts === 0 ? progress.visits : { ...progress.visits, [step]: { attempts } }
  const entered = advance(plan, { ...progress, visits: tried }, { kind: 'enter', step })
  if (!entered.ok) return progress
  if (past?.outcome === undefined) return entered.progress
  const left = advance(plan, entered.progress, { kind: 'leave', step, outcome: past.outcome })
  return left.ok ? left.progress : entered.progress
}
