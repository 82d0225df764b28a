import type { Progress } from '../plan/advance.ts'
import { settle } from '../plan/opening.ts'
import { type Plan, stepOf } from '../plan/plan.ts'
import { isFix, isReview } from './plan.ts'

/** What follows a step that has ended well: the first one that is not done, wherever an edit has put it. */
export function firstUndone(plan: Plan, visits: Progress['visits']): readonly string[] {
  const seen = new Set<string>()
  let [id] = plan.entry
  while (id !== undefined && !seen.has(id)) {
    seen.add(id)
    if (!isOver(visits, id)) return [id]
    id = stepOf(plan, id)?.next?.['ok']?.[0]
  }
  return []
}

/** A review that could not be done is not done, although its outcome leads on. */
function isOver(visits: Progress['visits'], id: string): boolean {
  const { outcome, waived = false } = (Object.hasOwn(visits, id) ? visits[id] : undefined) ?? {}
  return waived || outcome === 'ok'
}

/** The progress in an edited plan: done steps stay done, and a review behind new work is done again. */
export function carriedRunbook(plan: Plan, { current, open, visits }: Progress): Progress {
  const kept = keptVisits(plan, visits)
  const begun = current.filter((id) => Object.hasOwn(kept, id)).slice(0, 1)
  if (begun.length > 0) return { status: 'running', current: begun, open: [], visits: kept }
  const next = firstUndone(plan, kept)
  // A review that found something waits for its fix.
  const fix = open.find((id) => stepOf(plan, id)?.next?.['ok']?.[0] === next[0] && isFix(plan, id))
  if (next.length === 0) return { status: 'completed', current: [], open: [], visits: kept }
  // An edit gives nobody new tries.
  return settle(plan, {
    status: 'running',
    current: [],
    open: fix === undefined ? next : [fix],
    visits: kept,
  })
}

function keptVisits(plan: Plan, visits: Progress['visits']): Progress['visits'] {
  let isWhole = true
  return Object.fromEntries(
    plan.steps.flatMap((step) => {
      const isOfReview = isReview(step) || isFix(plan, step.id)
      const visit = Object.hasOwn(visits, step.id) ? visits[step.id] : undefined
      const isKept = visit !== undefined && (isWhole || !isOfReview)
      if (!isOfReview && !isOver(visits, step.id)) isWhole = false
      return isKept ? [[step.id, visit] as const] : []
    }),
  )
}
