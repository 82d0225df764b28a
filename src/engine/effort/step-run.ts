import { advance, type Progress } from '../../model/plan/advance.ts'
import type { Effort } from '../../model/effort.ts'
import { end, following, go, isBack, type Moved } from '../../model/plan/moves.ts'
import { mustBeProved } from '../../model/plan/next-action.ts'
import { phaseText } from '../../model/plan/phase.ts'
import { isPipeline, isPrinted, type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { quoted } from '../../model/text/line.ts'
import { insertApproval } from '../../store/approval.ts'
import { setPhase } from '../../store/effort.ts'
import { toJson } from '../../store/json.ts'
import { insertPhase } from '../../store/phase.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { followedBy } from '../plan/plan.ts'
import { approvalFor, dropRound, storeProgress, useApproval, useWaivers } from '../plan/progress.ts'
import { recordArtifact } from '../plan/record-artifact.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { afterMove } from './after-move.ts'
import { resetHeartbeats } from './heartbeats.ts'
import { type Mover, withPlan } from './mover.ts'
import { refusedMove } from './refused-move.ts'
import { checkLeft } from './step-report.ts'

type Proof = Readonly<Record<string, unknown>>

interface Entering {
  readonly step: Step
  readonly proof: Proof
  /** Why the user allows it against the order of the plan. */
  readonly reason?: string | undefined
  /** The client's session that asks for it. */
  readonly native_id?: string | undefined
}

/** Enters a step; the current steps that owe nothing end with it. */
export async function enterStep(
  tx: Tx,
  mover: Mover,
  { step, proof, reason, native_id }: Entering,
  call: Call,
): Promise<{ readonly mover: Mover; readonly entered: boolean; readonly advice: string | null }> {
  const { plan, progress, recorded } = mover
  if (progress.current.includes(step.id))
    return { mover: await readOn(tx, mover, step, call), entered: false, advice: null }
  const given = { recorded, proof }
  const planned = unlessPrinted(mover, go(plan, progress, step.id, given))
  // Going back claims no success.
  const claims = !progress.current.some((id) => isBack(plan, id, step.id))
  const isOwed = !planned.ok && owesProof(planned) && claims
  const approval = planned.ok ? undefined : await approvalOf(tx, mover, { step, reason, isOwed }, call)
  const isAllowed = approval !== undefined || mover.isAdvice
  const moved = planned.ok || !isAllowed ? planned : forced(mover, step, given, claims)
  if (!moved.ok) throw refusedMove(mover, step, moved, proof)
  await checkLeft(tx, mover, moved.progress, native_id)
  await useWaivers(tx, mover, { after: moved.progress, proof }, call)
  const attempt = moved.progress.visits[step.id]?.attempts ?? 1
  const fresh = attempt > 1 ? await forget(tx, mover, step) : mover
  const about = { attempt, ...(approval !== undefined && { reason: approval.reason }) }
  const move = { before: progress, begun: step, proof, about }
  const next = await moveTo(tx, { ...fresh, progress: moved.progress }, move, call)
  return { mover: next, entered: true, advice: planned.ok ? null : planned.why }
}

/** A step of a workflow ends by the command that it prints, not by the start of another one. */
function unlessPrinted({ plan, progress }: Mover, moved: Moved): Moved {
  const [current] = progress.current
  const step = current === undefined ? undefined : stepOf(plan, current)
  if (!moved.ok || !isPrinted(plan) || step === undefined) return moved
  const why = `Step ${quoted(step.label)} has started, and only the command that it prints ends it.`
  return { ok: false, why, missing: [] }
}

/** The user's word stands for reading, too, but never for what must be shown. */
const owesProof = ({ owed }: Moved): boolean =>
  owed !== undefined && (owed.artifacts.length > 0 || owed.proof.length > 0 || owed.reports > 0)

/** The whole text is shown with the answer, so a step that was read in part counts as read. */
async function readOn(tx: Tx, mover: Mover, step: Step, call: Call): Promise<Mover> {
  const { plan, progress, effort, digest } = mover
  const read = advance(plan, progress, { kind: 'read', step: step.id })
  if (!read.ok || read.progress === progress) return mover
  await storeProgress(tx, { effort_id: effort.id, digest }, { progress: read.progress }, call)
  await call.record(tx, {
    event_type: 'step.visited',
    skill: effort.skill,
    phase: step.id,
    effort_id: effort.id,
    payload: {},
  })
  return { ...mover, progress: read.progress }
}

/** A move that the user or a modest plan allows; what was started is left. */
function forced(
  { plan, progress }: Mover,
  step: Step,
  given: Parameters<typeof go>[3],
  claims: boolean,
): Moved {
  if (!claims) return go(plan, progress, step.id, given, true)
  const everything = Object.fromEntries(
    plan.steps.flatMap(({ proof }) => proof.map((field) => [field, true])),
  )
  return go(plan, progress, step.id, { ...given, proof: { ...everything, ...given.proof } }, true)
}

/** Drops the evidence of an earlier round, because it does not show anything about this one. */
async function forget(tx: Tx, mover: Mover, step: Step): Promise<Mover> {
  const gone = await dropRound(tx, mover.effort.id, step)
  const kept = (names: ReadonlySet<string>) => new Set([...names].filter((name) => !gone.has(name)))
  const { good, stale } = mover.recorded
  return { ...mover, recorded: { good: kept(good), stale: kept(stale) } }
}

/** The user's word on a step out of order; proof is never waived. */
async function approvalOf(
  tx: Tx,
  { effort, plan }: Mover,
  {
    step,
    reason,
    isOwed,
  }: { readonly step: Step; readonly reason: string | undefined; readonly isOwed: boolean },
  call: Call,
) {
  if (isOwed) return undefined
  const about = approvalFor(plan, step)
  const times = { created_at: call.now, used_at: call.now }
  const approval =
    reason === undefined
      ? await useApproval(tx, { effortId: effort.id, ...about }, call)
      : await insertApproval(tx, { effort_id: effort.id, ...about, reason, ...times })
  if (approval !== undefined && about.kind === 'phase')
    await call.record(tx, {
      event_type: 'phase.skipped',
      skill: effort.skill,
      phase: about.subject,
      effort_id: effort.id,
      payload: { from: effort.current_phase, reason: approval.reason },
    })
  return approval
}

interface Leaving {
  readonly step: Step
  readonly outcome: string
  readonly proof: Proof
  readonly payload: { readonly reason?: string; readonly verified?: string; readonly set?: object }
  /** Whether the only step that follows starts at once. */
  readonly starts: boolean
}

/** Ends a step and starts the only one that follows. */
export async function leaveStep(
  tx: Tx,
  mover: Mover,
  { step, outcome, proof, payload, starts }: Leaving,
  files: SeenFiles,
  call: Call,
): Promise<Mover> {
  const claimed = outcome === 'ok' ? await claim(tx, mover, step, files, call) : mover
  const { plan, progress, recorded, effort } = claimed
  const { current, open, visits } = progress
  // A loop opens a done step again.
  const isAway = !current.includes(step.id) && !open.includes(step.id)
  const isThere = isAway && visits[step.id]?.outcome === outcome
  // Its artifacts were claimed again, or completed it.
  if (isThere && mover.progress.visits[step.id]?.outcome === outcome) return claimed
  const moved: Moved = isThere
    ? { ok: true, progress }
    : ending(claimed, { step: step.id, outcome, reason: payload.reason }, { recorded, proof })
  if (!moved.ok) throw refusedMove(claimed, step, moved, proof)
  await useWaivers(tx, claimed, { after: moved.progress, proof }, call)
  const attempt = moved.progress.visits[step.id]?.attempts ?? 1
  await call.record(tx, {
    event_type: outcome === 'fail' ? 'step.failed' : 'step.completed',
    skill: effort.skill,
    phase: step.id,
    effort_id: effort.id,
    payload: { outcome, attempt, ...(Object.keys(proof).length > 0 && { proof }), ...payload },
  })
  // A step in a file starts when it is read.
  const isRead = plan.notation === 'steps' && !isPipeline(plan)
  const next = isRead || !starts ? undefined : following(plan, moved.progress)
  const entered = next && advance(plan, moved.progress, { kind: 'enter', step: next.id })
  if (entered?.ok === true) {
    const again = entered.progress.visits[next?.id ?? '']?.attempts ?? 1
    const fresh = next !== undefined && again > 1 ? await forget(tx, claimed, next) : claimed
    const move = { before: progress, begun: next, proof, about: { attempt: again }, files }
    return await moveTo(tx, { ...fresh, progress: entered.progress }, move, call)
  }
  return await moveTo(tx, { ...claimed, progress: moved.progress }, { before: progress, proof, files }, call)
}

/** A modest plan lets a step end without what it owes. */
function ending(
  { plan, progress, isAdvice }: Mover,
  move: Parameters<typeof end>[2],
  given: Parameters<typeof end>[3],
): Moved {
  const moved = end(plan, progress, move, given)
  if (moved.ok || !isAdvice) return moved
  const begun = advance(plan, progress, { kind: 'enter', step: move.step, approved: true })
  return begun.ok ? advance(plan, begun.progress, { kind: 'leave', ...move }) : moved
}

/** Who says that a step is done claims the artifacts that need no more than a claim. */
async function claim(tx: Tx, mover: Mover, step: Step, files: SeenFiles, call: Call): Promise<Mover> {
  const { plan, effort, recorded } = mover
  if (plan.gate === 'visited' || mover.progress.visits[step.id] === undefined) return mover
  const names = step.produces.filter((name) => !recorded.good.has(name) && !mustBeProved(plan, name))
  for (const name of names)
    await recordArtifact(
      tx,
      { effort, name, step: step.id, rank: 'claimed', evidence: {} },
      files.digests,
      call,
    )
  return names.length === 0 ? mover : withPlan(effort, await followedBy(tx, effort, files))
}

/** Stores a move and keeps the history of phases. */
async function moveTo(
  tx: Tx,
  mover: Mover,
  {
    before,
    begun,
    proof,
    about = {},
    ...seen
  }: {
    readonly before: Progress
    readonly begun?: Step | undefined
    readonly proof: Proof
    readonly about?: object
    readonly files?: SeenFiles
  },
  call: Call,
): Promise<Mover> {
  const { effort, plan, progress, digest } = mover
  // Its sessions are watched for nothing but the first step until then.
  if (plan.activate === 'first' && Object.keys(before.visits).length === 0)
    call.context.store.volatile.openWindows.invalidate()
  await storeProgress(
    tx,
    { effort_id: effort.id, digest },
    { progress, ...(begun !== undefined && { begun: begun.id }) },
    call,
  )
  const now =
    begun === undefined ? effort : await begin(tx, { effort, plan, step: begun, proof, about }, call)
  // A step that has just begun called nothing yet.
  const called = begun === undefined ? mover.called : undefined
  return {
    ...mover,
    called,
    effort: await afterMove(
      tx,
      { effort: now, plan, before, progress, isAdvice: mover.isAdvice, ...seen },
      call,
    ),
  }
}

interface Begun {
  readonly effort: Effort
  readonly plan: Plan
  readonly step: Step
  readonly proof: Proof
  readonly about: object
}

async function begin(tx: Tx, { effort, plan, step, proof, about }: Begun, call: Call): Promise<Effort> {
  if (plan.notation !== 'phases') {
    await call.record(tx, {
      event_type: 'step.started',
      skill: effort.skill,
      phase: step.id,
      effort_id: effort.id,
      payload: { ...about },
    })
    return effort
  }
  const phase = phaseText({ label: step.label, name: step.title })
  const shown = Object.keys(proof).length === 0 ? undefined : proof
  return await keepPhase(tx, { effort, phase, proof: shown }, call)
}

/** Keeps the phase of an effort, with the proof of the one before. */
export async function keepPhase(
  tx: Tx,
  { effort, phase, proof }: { readonly effort: Effort; readonly phase: string; readonly proof: unknown },
  call: Call,
): Promise<Effort> {
  await setPhase(tx, { id: effort.id, phase })
  await insertPhase(tx, { effort_id: effort.id, phase_label: phase, proof: toJson(proof), now: call.now })
  await resetHeartbeats(tx, effort.id, call)
  await call.record(tx, {
    event_type: 'phase.entered',
    skill: effort.skill,
    phase,
    effort_id: effort.id,
    payload: { from: effort.current_phase, ...(proof !== undefined && { proof }) },
  })
  return { ...effort, current_phase: phase }
}
