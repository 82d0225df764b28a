import type { Effort } from '../../model/effort.ts'
import { doneCommand, nextActions, NOTHING_OWED } from '../../model/plan/next-action.ts'
import { nextStep } from '../../model/plan/pipeline.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { callerOfEffort } from '../../store/span.ts'
import { followedBy } from '../plan/plan.ts'

/** What follows a finished effort in the work that called its skill; nothing if nobody did. */
export async function nextInCaller(tx: Tx, called: Effort): Promise<readonly string[]> {
  const { effort_id: id = null } = (await callerOfEffort(tx, { effort_id: called.id })) ?? {}
  const row = id === null ? undefined : await findEffort(tx, { id })
  if (row?.lifecycle !== 'active') return []
  const effort = toEffort(row)
  const { plan, ...followed } = await followedBy(tx, effort)
  const now = plan === undefined ? undefined : nextStep(plan, followed.progress)
  const isCalled =
    now?.isBegun === true && now.step.runs?.kind === 'skill' && now.step.runs.name === called.skill
  return isCalled && plan !== undefined
    ? [doneCommand(effort.id, plan, now.step, { owed: NOTHING_OWED })]
    : nextActions(effort, { plan, ...followed })
}
