import { begin, type Progress } from '../../model/plan/advance.ts'
import type { Recorded } from '../../model/plan/evidence.ts'
import type { Plan } from '../../model/plan/plan.ts'
import { replay } from '../../model/plan/visit.ts'
import { type Approval, markUsed, openApprovals } from '../../store/approval.ts'
import type { Tx } from '../../store/query.ts'
import { findPlanState, putPlanState, putVisit } from '../../store/step.ts'
import type { Call } from '../call/method.ts'

/** How far the plan of an effort is, as stored: with what the plan was, and in which order its steps were begun. */
interface StoredProgress {
  readonly digest: string
  readonly visited: readonly string[]
  readonly progress: Progress
}

export const PROGRESS = 'progress'

/** The plan that an effort carries out, as its skill says it now. */
export interface Carried {
  readonly effort_id: number
  readonly digest: string | null
}

export async function progressOf(
  tx: Tx,
  plan: Plan,
  carried: Carried,
  recorded: Recorded,
): Promise<Progress> {
  const stored = await storedProgress(tx, carried.effort_id)
  if (stored === undefined) return begin(plan)
  return stored.digest === (carried.digest ?? '')
    ? stored.progress
    : replay(plan, stored.visited, recorded, stored.progress.visits)
}

/** The one place that writes how far a plan is; with the step that was begun, where one was. */
export async function storeProgress(
  tx: Tx,
  { effort_id, digest }: Carried,
  news: { readonly progress: Progress; readonly begun?: string },
  { now }: Call,
): Promise<void> {
  const { progress, begun } = news
  const before = await storedProgress(tx, effort_id)
  const known = new Map(Object.entries(before?.progress.visits ?? {}))
  for (const [step, { attempts, outcome }] of Object.entries(progress.visits)) {
    // A plan may have hundreds of steps, and one visit changes two of them.
    if (known.get(step)?.attempts === attempts && known.get(step)?.outcome === outcome) continue
    await putVisit(tx, {
      effort_id,
      step,
      attempts,
      now,
      completed_at: outcome === undefined ? null : now,
      outcome: outcome ?? null,
    })
  }
  const visited = before?.visited ?? []
  const stored: StoredProgress = {
    digest: digest ?? '',
    visited: begun === undefined ? visited : [...visited.filter((id) => id !== begun), begun],
    progress,
  }
  await putPlanState(tx, { effort_id, name: PROGRESS, value: JSON.stringify(stored), now })
}

/** What is kept of how far an effort is, whatever its plan is now. */
export async function storedProgress(tx: Tx, effortId: number): Promise<StoredProgress | undefined> {
  const row = await findPlanState(tx, { effort_id: effortId, name: PROGRESS })
  return row === undefined ? undefined : (JSON.parse(row.value) as StoredProgress)
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
