import type { Effort } from '../model/effort.ts'
import { AD_HOC_ORDINAL } from '../model/effort.ts'
import { adHocEffort, agentNotFound, effortFinished, effortNotFound, EngineError } from '../model/error.ts'
import { findAgent, findOwner, lockAgent, setAgentEffort } from '../store/agent.ts'
import { findEffort, lockEffort, setOwner, toEffort } from '../store/effort.ts'
import type { Tx } from '../store/query.ts'
import type { Call } from './method.ts'

/** An effort that may still change. */
export async function activeEffort(tx: Tx, id: number, verb: string): Promise<Effort> {
  const row = await lockEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  if (row.ordinal === AD_HOC_ORDINAL) throw adHocEffort(id, verb)
  if (row.lifecycle === 'finished') throw effortFinished(id, row.skill, row.task_id)
  return toEffort(row)
}

/** INV_AGENT_OWNS_EFFORT: an agent has one effort at a time, and nobody takes it away. */
export async function claimEffort(
  tx: Tx,
  claim: { readonly agent_id: string; readonly effort_id: number },
  call: Call,
): Promise<void> {
  const agent = await lockAgent(tx, { id: claim.agent_id })
  if (agent === undefined) throw agentNotFound(claim.agent_id)
  const effort = await activeEffort(tx, claim.effort_id, 'claimed')
  if (agent.effort_id === effort.id) return
  const owner = await findOwner(tx, { effort_id: effort.id })
  if (owner !== undefined)
    throw refuse(claim, effort, `Effort ${effort.id} belongs to agent ${owner.id}.`, owner.id)
  const other = agent.effort_id === null ? undefined : await findEffort(tx, { id: agent.effort_id })
  if (other?.lifecycle === 'active')
    throw refuse(
      claim,
      effort,
      `Agent ${agent.id} already owns effort ${other.id} (${other.skill}).`,
      agent.id,
    )
  await setAgentEffort(tx, { id: agent.id, effort_id: effort.id })
  await setOwner(tx, { id: effort.id, agent_id: agent.id })
  await call.record(tx, {
    event_type: 'agent.claimed',
    agent_id: agent.id,
    effort_id: effort.id,
    skill: effort.skill,
  })
}

/** The agent that a session of this effort works for; an effort of another agent is not served. */
export async function ownerFor(
  tx: Tx,
  wish: { readonly agent_id: string | undefined; readonly effort_id: number },
): Promise<string | undefined> {
  const owner = await findOwner(tx, { effort_id: wish.effort_id })
  if (wish.agent_id === undefined) return owner?.id
  if ((await findAgent(tx, { id: wish.agent_id })) === undefined) throw agentNotFound(wish.agent_id)
  const effort = await findEffort(tx, { id: wish.effort_id })
  if (effort !== undefined && owner !== undefined && owner.id !== wish.agent_id)
    throw refuse(
      { agent_id: wish.agent_id, effort_id: wish.effort_id },
      toEffort(effort),
      `Effort ${wish.effort_id} belongs to agent ${owner.id}.`,
      owner.id,
    )
  return wish.agent_id
}

function refuse(
  claim: { readonly agent_id: string; readonly effort_id: number },
  effort: Effort,
  message: string,
  holder: string,
): EngineError {
  return new EngineError('conflict', message, {
    field: 'agent_id',
    hint: `holdfast agent release ${holder}`,
    record: {
      event_type: 'agent.refused',
      agent_id: claim.agent_id,
      effort_id: claim.effort_id,
      skill: effort.skill,
      payload: { reason: message },
    },
  })
}
