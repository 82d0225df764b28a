import { type Effort, isUnfinished } from '../../model/effort.ts'
import type { HookEvent } from '../../model/event.ts'
import { type Phase, proofToLeave, splitPhase } from '../../model/plan/phase.ts'
import type { PhaseCall } from '../../model/shell/phase-call.ts'
import { proofField, proofValue } from '../../model/shell/proof-field.ts'
import { valuesToEnter } from '../../model/plan/plan-for.ts'
import type { PhaseMove } from '../../model/plan/phase-refusal.ts'
import type { Session } from '../../model/session.ts'
import type { PhaseMention } from '../../model/subject.ts'
import type { Facts } from '../../rules/facts.ts'
import { openApprovals } from '../../store/approval.ts'
import { placeOfTask } from '../../model/task.ts'
import { findActiveEfforts, findEffort, toEffort } from '../../store/effort.ts'
import { listPhases } from '../../store/phase.ts'
import type { Tx } from '../../store/query.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import { followedBy } from '../plan/plan.ts'
import { withEvidence } from '../plan/proof.ts'
import { appliedSkill, type Digests } from '../plan/recorded.ts'

/** The facts about a call that would enter a phase; undefined if only the method can decide. */
export async function moveOf(
  tx: Tx,
  call: PhaseCall,
  { session, digests }: { readonly session: Session; readonly digests: Digests },
): Promise<Facts['move']> {
  const effort = await effortCalled(tx, call, session)
  if (effort?.lifecycle !== 'active') return undefined
  const files = { root: (await placeOfEffort(tx, effort))?.root ?? '', digests }
  const before = await followedBy(tx, effort, files)
  // A modest plan says what it thinks of the move when the move is made.
  if (before.isAdvice) return undefined
  const asked = proofToLeave(before.plan, effort.current_phase)
  const said = saidIn(call, asked)
  if (said === undefined) return undefined
  const values = valuesToEnter(before, call.label, said)
  const isGiven = Object.keys(values).length > 0
  const {
    plan,
    progress,
    approved: approvedSteps,
  } = isGiven ? await followedBy(tx, effort, files, values) : before
  const { proof, stale } = await withEvidence(tx, { effort, demands: plan?.demands, said }, files)
  const approved = (await openApprovals(tx, { effort_id: effort.id, kind: 'phase' })).map(
    ({ subject }) => subject,
  )
  const move: PhaseMove = { effort, plan, progress, label: call.label, proof, stale, approvedSteps }
  return { ...move, approved, isProofKnown: call.proof !== undefined }
}

function saidIn(
  { proof, fields }: PhaseCall,
  asked: readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  const named = Object.entries(fields).map(
    ([flag, text]) => [proofField(flag, asked), proofValue(text)] as const,
  )
  // The command line rejects unknown flags itself.
  if (named.some(([field]) => field === undefined)) return undefined
  return { ...proof, ...Object.fromEntries(named) }
}

/** A task folder selects the session's own effort there, else the only one. */
async function effortCalled(
  tx: Tx,
  { effort }: PhaseCall,
  { effort_id: own }: Session,
): Promise<Effort | undefined> {
  if (effort.kind === 'id') {
    const row = await findEffort(tx, effort)
    return row === undefined ? undefined : toEffort(row)
  }
  const mine = await findEffort(tx, { id: own })
  const isHere =
    mine !== undefined &&
    isUnfinished(mine) &&
    [mine.task_id, placeOfTask(mine.task_id)].includes(effort.folder)
  if (isHere) return toEffort(mine)
  const [only, ...more] = await findActiveEfforts(tx, { task_id: effort.folder, limit: 2 })
  return only === undefined || more.length > 0 ? undefined : toEffort(only)
}

/** The phase that a tool call entered, as its skill declares it. */
export async function enteredIn(
  tx: Tx,
  { call }: PhaseMention,
  { session, event }: { readonly session: Session; readonly event: HookEvent },
): Promise<Omit<NonNullable<Facts['entered']>, 'contents'> | undefined> {
  if (event.kind !== 'tool.after') return undefined
  // A repeated event finds its call ended, so that no context is sent twice.
  const begun = session.open_calls.find(({ id }) => id === event.tool.id)
  const row = call === undefined ? await findEffort(tx, { id: session.effort_id }) : undefined
  const effort = call === undefined ? row && toEffort(row) : await effortCalled(tx, call, session)
  if (begun === undefined || effort === undefined) return undefined
  const last = (await listPhases(tx, { effort_id: effort.id })).at(-1)
  if (last === undefined || last.created_at < begun.at) return undefined
  const { skill } = await appliedSkill(tx, effort)
  const { label } = splitPhase(last.phase_label)
  const declared: Phase | undefined = skill?.phases.find((phase) => phase.label === label)
  return { effort, phase: last.phase_label, declared }
}
