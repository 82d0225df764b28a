import type { Effort } from '../../model/effort.ts'
import type { Progress } from '../../model/plan/advance.ts'
import type { Plan } from '../../model/plan/plan.ts'
import { delegationsOfEffort, setDelegationSteps, toDelegation } from '../../store/delegation.ts'
import type { Tx } from '../../store/query.ts'
import type { Volatile } from '../../store/volatile.ts'
import type { Call } from '../call/method.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { closeEffort } from './life.ts'
import { isOpenWork, openWork } from './open-work.ts'

interface Moving {
  readonly effort: Effort
  readonly plan: Plan
  readonly before: Progress
  readonly progress: Progress
  /** What was seen on disk before, if anything was. */
  readonly files?: SeenFiles
  /** Set if the plan only advises, so that nothing is required. */
  readonly isAdvice?: boolean
  /** Who moved it, for the ledger. */
  readonly by?: { readonly window_id: number; readonly project_id: number }
}

/** Applies the consequences of a stored move: its old sub-agents no longer count, and a completed plan ends its effort. */
export async function afterMove(
  tx: Tx,
  { effort, plan, before, progress, files, isAdvice = false, by }: Moving,
  call: Call,
): Promise<Effort> {
  const ended = plan.steps.filter((step) => step.dispatch !== undefined && isEnded(step.id, before, progress))
  if (ended.length > 0)
    await takeBack(tx, effort.id, new Set(ended.map(({ id }) => id)), call.context.store.volatile)
  if (progress.status === 'parked')
    await call.record(tx, {
      event_type: 'plan.parked',
      ...by,
      skill: effort.skill,
      effort_id: effort.id,
      payload: { reason: progress.reason },
    })
  const isOver = progress.status === 'completed' && progress.open.length === 0
  if (!isOver || (!isAdvice && isOpenWork(await openWork(tx, effort, files ?? {})))) return effort
  return await closeEffort(tx, { effort_id: effort.id }, call)
}

/** True if a move ended a round of a step, with or without an outcome. */
function isEnded(id: string, before: Progress, after: Progress): boolean {
  const isAgain = before.visits[id]?.attempts !== after.visits[id]?.attempts
  return before.current.includes(id)
    ? isAgain || !after.current.includes(id)
    : isAgain && after.visits[id]?.outcome !== undefined
}

/** Sub-agents that are still out no longer count for these steps, nor for their next round. */
async function takeBack(
  tx: Tx,
  effort_id: number,
  ended: ReadonlySet<string>,
  volatile: Volatile,
): Promise<void> {
  for (const row of await delegationsOfEffort(tx, { effort_id })) {
    const { steps } = toDelegation(row)
    const left = steps.filter((id) => !ended.has(id))
    if (left.length === steps.length) continue
    const { session_id, call_id, skill } = row
    await setDelegationSteps(tx, volatile, { session_id, call_id, skill, steps: JSON.stringify(left) })
  }
}
