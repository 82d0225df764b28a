import type { Change } from '../../model/change.ts'
import type { Progress } from '../../model/plan/advance.ts'
import { stepOf } from '../../model/plan/plan.ts'
import { shownOf } from '../../model/plan/shown.ts'
import { isPartly } from '../../model/plan/visit.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { lastSpanOf, openSpansOf, setSpanSteps, toSpan } from '../../store/span.ts'
import type { Call } from '../call/method.ts'
import { followedBy } from '../plan/plan.ts'
import { dropRound, storedProgress, storeProgress, useApproval } from '../plan/progress.ts'
import { keepSeen } from '../plan/shown.ts'
import { judgedDigest, skillOfEffort } from '../skill/kept-plan.ts'
import { type ProjectSession, recordIn } from './project-session.ts'

/** Stores a visited step with the span of its skill, and in the progress if it counts. */
export async function visitStep(
  tx: Tx,
  { skill, step, progress, approved, seen }: Extract<Change, { kind: 'step.visited' }>,
  at: ProjectSession,
  call: Call,
): Promise<void> {
  const { session } = at
  const session_id = session.native_id ?? ''
  // The end of a sub-agent may come after the scope that it works for has ended.
  const row =
    session.ended_at === null
      ? (await openSpansOf(tx, { session_id })).find((span) => span.skill === skill)
      : await lastSpanOf(tx, { session_id, skill })
  if (row === undefined) return
  const span = toSpan(row)
  // A step that was read out of order is already in the list.
  const steps = [...new Set([...span.steps, step])]
  await setSpanSteps(tx, { span_id: span.span_id, step, steps: JSON.stringify(steps) })
  const approval =
    approved === true && span.effort_id !== null
      ? await useApproval(tx, { effortId: span.effort_id, kind: 'step', subject: step }, call)
      : undefined
  const isBegun = progress !== undefined && isPartly(progress, step)
  const payload = {
    span_id: span.span_id,
    ...(progress === undefined && { out_of_order: true }),
    ...(seen !== undefined && isBegun && { lines: seen.bySubagent ?? shownOf(seen), of: seen.total }),
    ...(approval !== undefined && { approval_id: approval.id, reason: approval.reason }),
  }
  const about = { skill, phase: step, ...(span.effort_id !== null && { effort_id: span.effort_id }) }
  await recordIn(tx, at, { event_type: 'step.visited', ...about, payload }, call)
  if (span.effort_id === null || progress === undefined) return
  if (seen !== undefined) {
    const rest = isBegun ? seen : undefined
    const to = { effort_id: span.effort_id, scope: session.native_id ?? '' }
    await keepSeen(tx, to, { step, seen: rest, now: call.now })
  }
  if ((progress.visits[step]?.attempts ?? 1) > 1)
    await dropLastRound(tx, { effort_id: span.effort_id, step, progress })
  const carried = { effort_id: span.effort_id, digest: await planDigest(tx, span.effort_id) }
  await storeProgress(tx, carried, { progress, begun: step }, call)
}

/** The digest of what decides in the plan of an effort, which texts do not change. */
async function planDigest(tx: Tx, id: number): Promise<string | null> {
  const row = await findEffort(tx, { id })
  const skill = row === undefined ? undefined : await skillOfEffort(tx, toEffort(row))
  return skill === undefined ? null : judgedDigest(skill)
}

/** A step that starts again shows everything again; one that is only read again keeps what it has. */
async function dropLastRound(
  tx: Tx,
  {
    effort_id,
    step,
    progress,
  }: { readonly effort_id: number; readonly step: string; readonly progress: Progress },
): Promise<void> {
  const before = await storedProgress(tx, effort_id)
  if (before?.progress.visits[step]?.attempts === progress.visits[step]?.attempts) return
  const row = await findEffort(tx, { id: effort_id })
  const { plan } = row === undefined ? { plan: undefined } : await followedBy(tx, toEffort(row))
  const again = plan && stepOf(plan, step)
  if (again !== undefined) await dropRound(tx, effort_id, again)
}
