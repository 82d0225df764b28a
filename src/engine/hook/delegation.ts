import type { Change } from '../../model/change.ts'
import type { HookEvent } from '../../model/event.ts'
import { scopeId, type Session } from '../../model/session.ts'
import { keptText } from '../../model/text/kept.ts'
import {
  endDelegation,
  insertDelegation,
  openDelegations,
  setDelegationAgents,
  toDelegation,
} from '../../store/delegation.ts'
import type { Tx } from '../../store/query.ts'
import type { Volatile } from '../../store/volatile.ts'
import { placeOfSession } from '../../store/workplace.ts'
import type { Call } from '../call/method.ts'
import { countReport, hearChild } from '../effort/after-move.ts'
import { forgetSeen } from '../plan/shown.ts'
import { andReturn } from '../session/come-back.ts'
import type { ProjectSession } from '../session/project-session.ts'
import { type Dispatch, isPrinted, type Step, stepOf } from '../../model/plan/plan.ts'
import { lockEffort, toEffort } from '../../store/effort.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import { followedBy } from '../plan/plan.ts'
import type { Digests } from '../plan/recorded.ts'
import { type Above, roundIn, roundsOf } from '../plan/rounds.ts'

type Told = Extract<Change, { kind: 'steps.delegated' | 'skill.forked' | 'delegation.noted' }>

/** Stores what sub-agents were given and its outcome, and records it in the ledger. */
export async function noteDelegation(
  tx: Tx,
  change: Told,
  { session, projectId }: ProjectSession,
  call: Call,
): Promise<void> {
  const key = { session_id: session.native_id ?? '', call_id: change.call, skill: change.skill }
  const about = { window_id: session.id, project_id: projectId, skill: change.skill }
  const { volatile } = call.context.store
  if (change.kind === 'skill.forked') {
    const { request, prompt = '' } = change
    const row = await insertDelegation(tx, volatile, {
      ...key,
      // Clients report every sub-agent with the session of the main thread.
      session_id: session.scope_of ?? key.session_id,
      effort_id: null,
      steps: '[]',
      request: keptText(request, LONGEST_REQUEST),
      prompt_id: prompt,
      now: call.now,
    })
    if (row !== undefined)
      await call.record(tx, { event_type: 'skill.forked', ...about, payload: { call: change.call } })
    return
  }
  if (change.kind === 'steps.delegated') {
    const { effort, steps } = change
    const row = await insertDelegation(tx, volatile, {
      ...key,
      effort_id: effort ?? null,
      steps: JSON.stringify(steps),
      now: call.now,
    })
    if (row === undefined) return
    for (const step of steps)
      await call.record(tx, {
        event_type: 'step.delegated',
        ...about,
        phase: step,
        ...(effort !== undefined && { effort_id: effort }),
        payload: { call: change.call },
      })
    return
  }
  if (change.outcome === undefined) return await noteAgents(tx, key, change, volatile)
  const row = await endDelegation(tx, volatile, { ...key, outcome: change.outcome, now: call.now })
  if (row === undefined) return
  if (row.effort_id !== null && toDelegation(row).steps.length > 0)
    for (const id of [change.call, change.agent ?? row.agent_id ?? change.call])
      await forgetSeen(tx, { effort_id: row.effort_id, scope: scopeId(key.session_id, id) })
  await call.record(tx, {
    event_type: 'delegation.ended',
    ...about,
    ...(row.effort_id !== null && { effort_id: row.effort_id }),
    payload: { call: change.call, outcome: change.outcome, steps: toDelegation(row).steps },
  })
}

/** A client that ends or starts again has no sub-agents: what they were given has failed. */
export async function endDelegations(tx: Tx, event: HookEvent, session: Session, call: Call): Promise<void> {
  const isStart = event.kind === 'session.started' && event.source !== 'compact'
  // A background sub-agent outlives the sub-agent that started it.
  if ((!isStart && event.kind !== 'session.ended') || session.scope_of !== null) return
  const rows = await openDelegations(tx, { session_id: session.native_id ?? '' })
  const place = rows.length === 0 ? undefined : await placeOfSession(tx, session)
  if (place === undefined) return
  for (const { call_id, skill } of rows) {
    const lost = { kind: 'delegation.noted', call: call_id, skill, outcome: 'failed' } as const
    await noteDelegation(tx, lost, { session, projectId: place.id }, call)
  }
}

async function noteAgents(
  tx: Tx,
  key: { readonly session_id: string; readonly call_id: string; readonly skill: string },
  { agent, stopped }: Extract<Told, { kind: 'delegation.noted' }>,
  volatile: Volatile,
): Promise<void> {
  const row = (await openDelegations(tx, key)).find(
    ({ call_id, skill }) => call_id === key.call_id && skill === key.skill,
  )
  if (row === undefined) return
  const before = toDelegation(row).stopped
  const heard = stopped === undefined ? before : [...new Set([...before, stopped])].slice(-MOST_STOPPED)
  await setDelegationAgents(tx, volatile, {
    ...key,
    agent_id: agent ?? row.agent_id,
    stopped: JSON.stringify(heard),
  })
}

const LONGEST_REQUEST = 10_000

/** A call is linked to its sub-agent early, so that few others can stop in between. */
const MOST_STOPPED = 100

/** Counts what a sub-agent reports by its end; one that must return something says so itself. */
export async function noteReport(
  tx: Tx,
  { effort: id, step: name, outcome }: Extract<Change, { kind: 'step.reported' }>,
  { session, projectId, digests }: ProjectSession & { readonly digests: Digests },
  call: Call,
): Promise<void> {
  const row = await lockEffort(tx, { id })
  if (row?.lifecycle !== 'active') return
  const effort = toEffort(row)
  const { plan, progress } = await followedBy(tx, effort)
  const step = plan === undefined ? undefined : stepOf(plan, name)
  if (plan === undefined || step?.dispatch === undefined || endsItself(step.dispatch)) return
  const files = { root: (await placeOfEffort(tx, effort))?.root ?? '', digests }
  const from = { by: { window_id: session.id, project_id: projectId }, files }
  const report = { effort, step: name, outcome }
  await andReturn(tx, id, call, async () => {
    if (!isPrinted(plan)) return await countReport(tx, report, call, from)
    const of = await nextChild(tx, { effort: id, step, visit: progress.visits[name]?.attempts ?? 1 })
    const ended = { effort: null, state: outcome, values: {} }
    if (of !== undefined) await hearChild(tx, of, ended, call, from)
  })
}

/** A sub-agent with a workflow ends with that, and one that returns something is reported with it. */
const endsItself = ({ workflow, returns = [] }: Dispatch): boolean =>
  workflow !== undefined || returns.length > 0

/** Nothing tells which of several sub-agents reports, so it counts as the first that has not. */
async function nextChild(
  tx: Tx,
  { step, ...of }: { readonly effort: number; readonly step: Step; readonly visit: number },
): Promise<Above | undefined> {
  const { children } = roundIn(await roundsOf(tx, of.effort), step.id, of.visit)
  const numbers = Array.from({ length: step.dispatch?.count ?? 0 }, (_, index) => index + 1)
  const child = numbers.find((one) => children[one] === undefined)
  return child === undefined ? undefined : { ...of, step: step.id, child }
}
