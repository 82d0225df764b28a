import { isChild } from '../../model/child.ts'
import type { Effort } from '../../model/effort.ts'
import type { Progress } from '../../model/plan/advance.ts'
import { provenIn } from '../../model/plan/evidence.ts'
import { report } from '../../model/plan/moves.ts'
import { isInFile } from '../../model/plan/next-action.ts'
import { type Plan, stepOf } from '../../model/plan/plan.ts'
import { returnedBy } from '../../model/plan/returned.ts'
import { visit } from '../../model/plan/visit.ts'
import { delegationsOfEffort, setDelegationSteps, toDelegation } from '../../store/delegation.ts'
import { lockEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import type { Volatile } from '../../store/volatile.ts'
import type { Call } from '../call/method.ts'
import { followedBy } from '../plan/plan.ts'
import { setVariables, storeProgress } from '../plan/progress.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { type Above, aboveOf, type Child, keepChild, roundIn, roundsOf } from '../plan/rounds.ts'
import { beginExits } from './exits.ts'
import { endEffortFrame } from './frames.ts'
import { type Closing, endEffort } from './life.ts'
import { isKeptOpen, openWork } from './open-work.ts'

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
  readonly by?: { readonly window_id: number; readonly project_id: number } | undefined
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
  if (!isOver || isKeptOpen(await openWork(tx, effort, files ?? {}), isAdvice)) return effort
  const closed = await closeEffort(tx, { effort_id: effort.id }, call)
  await beginExits(tx, closed, call)
  return closed
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

/** Finishes an effort with the work of its sub-agents; one that is a sub-agent's own reports. A finished one stays. */
export async function closeEffort(tx: Tx, wanted: Closing, call: Call): Promise<Effort> {
  const known = await lockEffort(tx, { id: wanted.effort_id })
  if (known?.lifecycle === 'finished') return toEffort(known)
  const effort = await endEffort(tx, wanted, call)
  await endEffortFrame(tx, effort, wanted, call)
  const reason = `Effort ${effort.id} ended.`
  for (const effort_id of (await roundsOf(tx, effort.id)).efforts)
    await closeEffort(tx, { effort_id, outcome: 'abandoned', reason }, call)
  const above = isChild(effort) ? await aboveOf(tx, effort.id) : undefined
  if (above === undefined) return effort
  const { values } = await followedBy(tx, effort)
  const state = wanted.outcome === 'abandoned' ? 'fail' : 'ok'
  await hearChild(tx, above, { effort: effort.id, state, values, reason: wanted.reason }, call)
  return effort
}

/** What a sub-agent says at its end. */
interface Ended extends Omit<Child, 'state'> {
  readonly state: 'ok' | 'fail'
  readonly reason?: string | undefined
}

/** Counts the end of a sub-agent once, in the round that it belongs to; the end of an earlier round changes nothing. */
export async function hearChild(
  tx: Tx,
  of: Above,
  ended: Ended,
  call: Call,
  { by, files }: Heard = {},
): Promise<void> {
  const { step: id, visit: time, child } = of
  const row = await lockEffort(tx, { id: of.effort })
  if (row?.lifecycle !== 'active') return
  const effort = toEffort(row)
  const { plan, progress } = await followedBy(tx, effort)
  const step = plan === undefined ? undefined : stepOf(plan, id)
  if (step === undefined || !progress.current.includes(id) || progress.visits[id]?.attempts !== time) return
  const known = roundIn(await roundsOf(tx, effort.id), id, time).children[child]
  if (known !== undefined && known.state !== 'running') return
  const { effort: own, state, reason } = ended
  const returns = state === 'ok' ? (step.dispatch?.returns ?? []) : []
  const values = Object.fromEntries(returns.map((name) => [name, ended.values[name] ?? '']))
  const round = await keepChild(tx, of, { effort: own, state, values }, call)
  await call.record(tx, {
    event_type: 'delegation.ended',
    ...by,
    skill: effort.skill,
    phase: id,
    effort_id: effort.id,
    payload: {
      visit: time,
      child,
      effort: own,
      outcome: state,
      values,
      ...(reason !== undefined && { reason }),
    },
  })
  const set = returnedBy(step, round.children)
  if (Object.keys(set).length > 0) await setVariables(tx, { effort_id: effort.id, set }, call)
  await countReport(tx, { effort, step: id, outcome: state, reason }, call, { by, files })
}

/** Where a report comes from. */
interface Heard {
  readonly by?: Moving['by'] | undefined
  readonly files?: SeenFiles | undefined
}

interface Report {
  readonly effort: Effort
  readonly step: string
  readonly outcome: 'ok' | 'fail'
  readonly reason?: string | undefined
}

/** Counts a report of a sub-agent, and ends the step once that is decided. */
export async function countReport(
  tx: Tx,
  { effort, ...told }: Report,
  call: Call,
  { by, files }: Heard = {},
): Promise<void> {
  const { step } = told
  const { plan, progress, recorded, digest } = await followedBy(tx, effort, files)
  if (plan === undefined) return
  const given = stepOf(plan, step)
  // The first report of a sub-agent starts a step in a file.
  const begun =
    given !== undefined && isInFile(plan, given) ? visit(plan, progress, step, recorded) : undefined
  const from = begun?.ok === true ? begun.progress : progress
  const moved = report(plan, from, told, { recorded, proof: provenIn(recorded) })
  if (!moved.ok) return
  const now = moved.progress
  const isBegun = from.visits[step]?.attempts !== progress.visits[step]?.attempts
  const news = { progress: now, ...(isBegun && { begun: step }) }
  await storeProgress(tx, { effort_id: effort.id, digest }, news, call)
  if (now.current.includes(step)) return
  const { attempts, outcome: end, children } = now.visits[step] ?? { attempts: 1 }
  await call.record(tx, {
    event_type: end === 'ok' ? 'step.completed' : 'step.failed',
    ...by,
    skill: effort.skill,
    effort_id: effort.id,
    phase: step,
    payload: { outcome: end, attempt: attempts, children },
  })
  await afterMove(tx, { effort, plan, before: from, progress: now, by }, call)
}
