import { begin, type Progress } from '../model/advance.ts'
import type { Plan } from '../model/plan.ts'
import { replay } from '../model/visit.ts'
import { markUsed, openApprovals, type Approval } from '../store/approval.ts'
import type { Tx } from '../store/query.ts'
import { findPlanState, putPlanState, putVisit } from '../store/step.ts'
import type { Call } from './method.ts'

/** How far the plan of an effort is, as stored: with what the plan was, and in which order its steps were begun. */
interface StoredProgress {
  readonly digest: string
  readonly visited: readonly string[]
  readonly progress: Progress
}

export const PROGRESS = 'progress'

/** An effort, and its plan as it is now. */
export interface PlanOf {
  readonly effortId: number
  readonly plan: Plan
  /** What the plan was read from: another digest is another plan. */
  readonly digest: string | null
}

/** How far an effort is in the plan of now. */
export async function progressOf(tx: Tx, { effortId, plan, digest }: PlanOf): Promise<Progress> {
  const stored = await storedProgress(tx, effortId)
  if (stored === undefined) return begin(plan)
  return stored.digest === (digest ?? '')
    ? stored.progress
    : replay(plan, stored.visited, stored.progress.visits)
}

/** What is kept of how far an effort is, whatever its plan is now. */
export async function storedProgress(tx: Tx, effortId: number): Promise<StoredProgress | undefined> {
  const row = await findPlanState(tx, { effort_id: effortId, name: PROGRESS })
  return row === undefined ? undefined : (JSON.parse(row.value) as StoredProgress)
}

/** Keeps how far an effort is: what it began and completed as facts of their own, and the whole as one value. */
export async function storeProgress(
  tx: Tx,
  { effortId, digest }: Pick<PlanOf, 'effortId' | 'digest'>,
  { step, progress }: { readonly step: string; readonly progress: Progress },
  call: Call,
): Promise<void> {
  const kept = await storedProgress(tx, effortId)
  for (const [id, visit] of Object.entries(progress.visits)) {
    const was = kept?.progress.visits[id]
    if (was?.attempts === visit.attempts && was.outcome === visit.outcome) continue
    await putVisit(tx, {
      effort_id: effortId,
      step: id,
      attempts: visit.attempts,
      now: call.now,
      completed_at: visit.outcome === undefined ? null : call.now,
      outcome: visit.outcome ?? null,
    })
  }
  const stored: StoredProgress = {
    digest: digest ?? '',
    visited: [...(kept?.visited ?? []).filter((id) => id !== step), step],
    progress,
  }
  const value = JSON.stringify(stored)
  await putPlanState(tx, { effort_id: effortId, name: PROGRESS, value, now: call.now })
}

/** Makes use of an approval, which is good for once. */
export async function useApproval(
  tx: Tx,
  { effortId, ...wanted }: { readonly effortId: number } & Pick<Approval, 'kind' | 'subject'>,
  call: Call,
): Promise<Approval | undefined> {
  const open = await openApprovals(tx, { effort_id: effortId, kind: wanted.kind })
  const approval = open.find(({ subject }) => subject === wanted.subject)
  if (approval !== undefined) await markUsed(tx, { id: approval.id, now: call.now })
  return approval
}
