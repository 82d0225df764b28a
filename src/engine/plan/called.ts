import type { Progress } from '../../model/plan/advance.ts'
import type { Called } from '../../model/plan/called.ts'
import { nextStep } from '../../model/plan/pipeline.ts'
import type { Plan } from '../../model/plan/plan.ts'
import type { Tx } from '../../store/query.ts'
import { lastCalled, lastCalledBelow } from '../../store/span.ts'
import { listVisits } from '../../store/step.ts'
import { finishOf } from './finish-entry.ts'

/** The skill that the current step of a pipeline has called since it started; undefined if it called none. */
export async function calledIn(
  tx: Tx,
  effort_id: number,
  plan: Plan,
  progress: Progress,
): Promise<Called | undefined> {
  const now = nextStep(plan, progress)
  const runs = now?.step.runs
  if (now?.isBegun !== true || runs?.kind !== 'skill') return undefined
  const visit = (await listVisits(tx, { effort_id })).find(({ step }) => step === now.step.id)
  if (visit === undefined) return undefined
  const { name: skill } = runs
  const about = { effort_id, skill, since: visit.started_at }
  // A skill that forks, or that a sub-agent calls, has its span in the scope of that sub-agent.
  const found = (await lastCalled(tx, about)) ?? (await lastCalledBelow(tx, about))
  if (found === undefined) return undefined
  const { effort_id: id, lifecycle } = found
  if (id === null) return { skill, effort_id: null, state: 'unknown', reason: null }
  if (lifecycle !== 'finished') return { skill, effort_id: id, state: 'open', reason: null }
  const { outcome, reason = null } = await finishOf(tx, id)
  return { skill, effort_id: id, state: outcome === 'abandoned' ? 'given up' : 'finished', reason }
}
