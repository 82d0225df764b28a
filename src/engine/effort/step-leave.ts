import { advance } from '../../model/plan/advance.ts'
import { end, following, type Moved } from '../../model/plan/moves.ts'
import { mustBeProved } from '../../model/plan/next-action.ts'
import { isPipeline, type Step } from '../../model/plan/plan.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { followedBy } from '../plan/plan.ts'
import { useWaivers } from '../plan/progress.ts'
import { recordArtifact } from '../plan/record-artifact.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { type Mover, withPlan } from './mover.ts'
import { refusedMove } from './refused-move.ts'
import { forget, moveTo, type Proof } from './step-move.ts'

interface Leaving {
  readonly step: Step
  readonly outcome: string
  readonly proof: Proof
  readonly payload: {
    readonly reason?: string
    readonly verified?: string
    readonly set?: object
    readonly category?: string
  }
  /** Set for a failure that only the user lets be tried again. */
  readonly asksUser?: boolean
  /** Whether the only step that follows starts at once. */
  readonly starts: boolean
}

/** Ends a step and starts the only one that follows. */
export async function leaveStep(
  tx: Tx,
  mover: Mover,
  { step, outcome, proof, payload, starts, asksUser }: Leaving,
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
    : ending(claimed, { step: step.id, outcome, reason: payload.reason, asksUser }, { recorded, proof })
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
  // A step in a file starts when it is read, and one of a runbook when it is handed out.
  const isRead = (plan.notation === 'steps' && !isPipeline(plan)) || plan.runbook !== undefined
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
