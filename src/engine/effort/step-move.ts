import type { Progress } from '../../model/plan/advance.ts'
import type { Effort } from '../../model/effort.ts'
import { phaseText } from '../../model/plan/phase.ts'
import type { Plan, Step } from '../../model/plan/plan.ts'
import { setPhase } from '../../store/effort.ts'
import { toJson } from '../../store/json.ts'
import { insertPhase } from '../../store/phase.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { dropRound, storeProgress } from '../plan/progress.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { afterMove } from './after-move.ts'
import { resetHeartbeats } from './heartbeats.ts'
import type { Mover } from './mover.ts'

/** The fields that a step shows when it ends, by name. */
export type Proof = Readonly<Record<string, unknown>>

/** Drops the evidence of an earlier round, because it does not show anything about this one. */
export async function forget(tx: Tx, mover: Mover, step: Step): Promise<Mover> {
  const gone = await dropRound(tx, mover.effort.id, step)
  const kept = (names: ReadonlySet<string>) => new Set([...names].filter((name) => !gone.has(name)))
  const { good, stale } = mover.recorded
  return { ...mover, recorded: { good: kept(good), stale: kept(stale) } }
}

/** Stores a move and keeps the history of phases. */
export async function moveTo(
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
