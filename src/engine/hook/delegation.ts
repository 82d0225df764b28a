import type { Change } from '../../model/change.ts'
import { scopeId } from '../../model/session.ts'
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
import type { Call } from '../call/method.ts'
import { forgetSeen } from '../plan/shown.ts'
import type { ProjectSession } from '../session/project-session.ts'

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
