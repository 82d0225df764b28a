import { begin, type Progress } from '../../model/plan/advance.ts'
import type { Effort } from '../../model/effort.ts'
import { RANKS, type Recorded } from '../../model/plan/evidence.ts'
import { phaseText } from '../../model/plan/phase.ts'
import { type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { hasVariables } from '../../model/plan/plan-for.ts'
import { replay } from '../../model/plan/visit.ts'
import { carriedRunbook } from '../../model/runbook/order.ts'
import { type Approval, markUsed, openApprovals } from '../../store/approval.ts'
import { dropArtifact, dropEvidenceRunsOf } from '../../store/artifact.ts'
import type { Tx } from '../../store/query.ts'
import { findPlanState, PROGRESS, putPlanState, putVisit } from '../../store/step.ts'
import type { Call } from '../call/method.ts'

/** The stored progress of an effort, with the digest of its plan and the order of visits. */
export interface StoredProgress {
  readonly digest: string
  readonly visited: readonly string[]
  readonly progress: Progress
}

/** An effort with the digest of its current plan. */
export interface Carried {
  readonly effort_id: number
  readonly digest: string | null
}

/** The stored progress in the current plan; visits are carried over to a changed one. */
export function carriedOver(
  plan: Plan,
  stored: StoredProgress | undefined,
  /** Older versions stored the digest of the skill, and not that of its plan. */
  digests: readonly string[],
  recorded: Recorded,
): Progress {
  if (stored === undefined) return begin(plan)
  const { progress, visited } = stored
  const isSame = digests.includes(stored.digest)
  if (!hasVariables(plan) && isSame) return progress
  if (plan.runbook !== undefined && !isSame) return carriedRunbook(plan, progress)
  const open = progress.open.filter((id) => stepOf(plan, id) !== undefined)
  // Values of variables may leave out steps that were open.
  const isKept = progress.open.length === 0 || open.length > 0 || progress.current.length > 0
  return isKept && isSame
    ? { ...progress, open }
    : replay(plan, visited, recorded, progress.visits, progress.current)
}

/** The only writer of progress; `begun` is the step that was started, if any. */
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
    // A plan may have hundreds of steps, and a visit changes at most two.
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

/** Drops what an earlier round of a step recorded, and the runs that it began; returns their names. */
export async function dropRound(
  tx: Tx,
  effort_id: number,
  { produces, proof }: Step,
): Promise<ReadonlySet<string>> {
  const names = new Set([...produces, ...proof])
  for (const name of names) {
    await dropEvidenceRunsOf(tx, { effort_id, name })
    for (const rank of RANKS) await dropArtifact(tx, { effort_id, name, rank })
  }
  return names
}

/** The stored progress of an effort, even if its plan has changed. */
export async function storedProgress(tx: Tx, effortId: number): Promise<StoredProgress | undefined> {
  const row = await findPlanState(tx, { effort_id: effortId, name: PROGRESS })
  return row === undefined ? undefined : (JSON.parse(row.value) as StoredProgress)
}

/** What an approval of a step is about; a phase is named in full. */
export function approvalFor(
  { notation }: Plan,
  { id, label, title }: Step,
): Pick<Approval, 'kind' | 'subject'> {
  return notation === 'phases'
    ? { kind: 'phase', subject: phaseText({ label, name: title }) }
    : { kind: 'step', subject: id }
}

/** The steps that the user approved against the plan, by id, oldest approval first. */
export async function approvedSteps(tx: Tx, effort_id: number, plan: Plan): Promise<readonly string[]> {
  const kind = plan.notation === 'phases' ? 'phase' : 'step'
  const open = await openApprovals(tx, { effort_id, kind })
  return open.flatMap(
    ({ subject }) => plan.steps.find((step) => approvalFor(plan, step).subject === subject)?.id ?? [],
  )
}

/** Uses up an approval, which is valid once. */
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

/** Uses up what the user waived for steps that ended well by it; going back needs no proof. */
export async function useWaivers(
  tx: Tx,
  {
    plan,
    progress,
    effort,
  }: { readonly plan: Plan; readonly progress: Progress; readonly effort: Pick<Effort, 'id'> },
  { after, proof }: { readonly after: Progress; readonly proof: Readonly<Record<string, unknown>> },
  call: Call,
): Promise<void> {
  const left = progress.current.filter(
    (id) => !after.current.includes(id) && after.visits[id]?.outcome === 'ok',
  )
  const fields = new Set(left.flatMap((id) => stepOf(plan, id)?.proof ?? []))
  for (const subject of fields)
    if (isWaiver(proof[subject])) await useApproval(tx, { effortId: effort.id, kind: 'proof', subject }, call)
}

/** True if nobody gave the field, because the user waived it. */
const isWaiver = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'approved' in value

const VARIABLES = 'variables'

/** The values that an effort gave to the variables of its plan. */
export async function variablesOf(tx: Tx, effortId: number): Promise<Readonly<Record<string, string>>> {
  const row = await findPlanState(tx, { effort_id: effortId, name: VARIABLES })
  return row === undefined ? {} : (JSON.parse(row.value) as Record<string, string>)
}

/** Adds values to the variables of an effort. */
export async function setVariables(
  tx: Tx,
  { effort_id, set }: { readonly effort_id: number; readonly set: Readonly<Record<string, string>> },
  { now }: Call,
): Promise<void> {
  const value = JSON.stringify({ ...(await variablesOf(tx, effort_id)), ...set })
  await putPlanState(tx, { effort_id, name: VARIABLES, value, now })
}
