import { type Effort, isAdHoc, isUnfinished } from '../../model/effort.ts'
import { adHocEffort, agentNotFound, effortFinished, effortNotFound, EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { accepts, type Agent } from '../../model/agent.ts'
import { findAgent, findOwner, lockAgent, setAgentEffort, toAgent, upsertAgent } from '../../store/agent.ts'
import { toJson } from '../../store/json.ts'
import { findEffort, lockEffort, setOwner, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'

/** Locks an effort that may still change. */
export async function activeEffort(tx: Tx, id: number, verb: string): Promise<Effort> {
  const row = await lockEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  if (isAdHoc(row)) throw adHocEffort(id, verb, row.task_id)
  if (row.lifecycle === 'finished') throw effortFinished(id, row.skill, row.task_id)
  return toEffort(row)
}

/** Registers an agent or updates it; omitted fields keep their values. */
export async function registerAgent(
  tx: Tx,
  given: { readonly id: string; readonly label?: string; readonly claims?: readonly string[] | undefined },
  call: Call,
): Promise<Agent> {
  const { id, label = '', claims } = given
  const known = await findAgent(tx, { id })
  const row = await upsertAgent(tx, {
    id,
    label: label === '' ? null : label,
    claims: toJson(claims),
    now: call.now,
  })
  if (row === undefined) throw new Error('The agent was not stored.')
  if (JSON.stringify(known) !== JSON.stringify(row))
    await call.record(tx, { event_type: 'agent.registered', agent_id: id, payload: { ...toAgent(row) } })
  return toAgent(row)
}

/** An agent owns what its session works on: the effort that it turns to, if nobody owns that. */
export async function claimIfFree(
  tx: Tx,
  move: { readonly agent_id: string; readonly effort_id: number; readonly from: number },
  call: Call,
): Promise<void> {
  const { agent_id, effort_id, from } = move
  const agent = await knownAgent(tx, agent_id)
  const own = agent.effort_id === null ? undefined : await findEffort(tx, { id: agent.effort_id })
  const effort = await findEffort(tx, { id: effort_id })
  const isFree = effort !== undefined && isUnfinished(effort) && effort.agent_id === null
  if (!isFree || (own?.lifecycle === 'active' && own.id !== from)) return
  if (own?.lifecycle === 'active') await releaseEffort(tx, { agent_id, effort_id: own.id }, call)
  await claimEffort(tx, { agent_id, effort_id }, call)
}

/** Gives up an effort, which stays open. */
export async function releaseEffort(
  tx: Tx,
  { agent_id, effort_id }: { readonly agent_id: string; readonly effort_id: number },
  call: Call,
): Promise<void> {
  await setAgentEffort(tx, { id: agent_id, effort_id: null })
  await setOwner(tx, { id: effort_id, agent_id: null })
  await call.record(tx, { event_type: 'agent.released', agent_id, effort_id })
}

/** Claims an effort that the agent did not start itself; its claims say of which skills it takes work. */
export async function handEffort(
  tx: Tx,
  {
    agent_id,
    effort_id,
    from,
  }: {
    readonly agent_id: string
    readonly effort_id: number
    /** The effort that its own session turns from. */
    readonly from?: number | undefined
  },
  call: Call,
): Promise<void> {
  const agent = toAgent(await knownAgent(tx, agent_id))
  const { skill } = await activeEffort(tx, effort_id, 'claimed')
  if (agent.effort_id !== effort_id && !accepts(agent, skill))
    throw refuse(
      { agent_id, effort_id, skill },
      `Agent ${agent_id} claims ${agent.claims.join(', ')}, not ${skill}.`,
      {
        hint: `holdfast agent register ${shellWord(agent_id)} --claims ${shellWord([...agent.claims, skill].join(','))}`,
      },
    )
  const isLeft = agent.effort_id !== null && agent.effort_id === from && from !== effort_id
  if (isLeft) await releaseEffort(tx, { agent_id, effort_id: from }, call)
  await claimEffort(tx, { agent_id, effort_id }, call)
}

/** INV_AGENT_OWNS_EFFORT: an agent owns one effort at a time, and no other agent can take it. */
export async function claimEffort(
  tx: Tx,
  { agent_id, effort_id }: { readonly agent_id: string; readonly effort_id: number },
  call: Call,
): Promise<void> {
  const agent = await knownAgent(tx, agent_id)
  const effort = await activeEffort(tx, effort_id, 'claimed')
  if (agent.effort_id === effort.id) return
  const claim = { agent_id, effort_id, skill: effort.skill }
  const owner = await findOwner(tx, { effort_id: effort.id })
  if (owner !== undefined) throw belongsTo(owner.id, claim)
  await idleAgent(tx, claim)
  await setAgentEffort(tx, { id: agent.id, effort_id: effort.id })
  await setOwner(tx, { id: effort.id, agent_id: agent.id })
  await call.record(tx, {
    event_type: 'agent.claimed',
    agent_id: agent.id,
    effort_id: effort.id,
    skill: effort.skill,
  })
}

/** The effort that an agent claims; an effort that does not exist yet has no id. */
interface Claim {
  readonly agent_id: string
  readonly effort_id?: number
  readonly skill: string
}

/** Rejects an agent that already owns an active effort. */
export async function idleAgent(tx: Tx, claim: Claim): Promise<void> {
  const agent = await knownAgent(tx, claim.agent_id)
  const effort = agent.effort_id === null ? undefined : await findEffort(tx, { id: agent.effort_id })
  if (effort?.lifecycle !== 'active') return
  throw refuse(claim, `Agent ${agent.id} already owns effort ${effort.id} (${effort.skill}).`, {
    hint: `holdfast agent release ${shellWord(agent.id)}`,
  })
}

/** Locked, so that calls for one agent run one after the other. */
async function knownAgent(tx: Tx, id: string) {
  const agent = await lockAgent(tx, { id })
  if (agent === undefined) throw agentNotFound(id)
  return agent
}

/** The agent for a session of this effort; an effort of another agent is refused. */
export async function ownerFor(
  tx: Tx,
  claim: { readonly agent_id: string | undefined; readonly effort_id: number; readonly skill: string },
): Promise<string | undefined> {
  const owner = await findOwner(tx, { effort_id: claim.effort_id })
  const agentId = claim.agent_id ?? owner?.id
  if (agentId === undefined) return undefined
  await knownAgent(tx, agentId)
  if (owner !== undefined && owner.id !== agentId)
    throw belongsTo(owner.id, { agent_id: agentId, effort_id: claim.effort_id, skill: claim.skill })
  return agentId
}

const belongsTo = (owner: string, claim: Claim) =>
  refuse(claim, `Effort ${claim.effort_id} belongs to agent ${owner}.`, {
    // Never suggests to release the owner: an effort cannot be taken away.
    hint: 'holdfast status',
  })

function refuse(claim: Claim, message: string, { hint }: { readonly hint: string }): EngineError {
  return new EngineError('conflict', message, {
    field: 'agent_id',
    hint,
    record: {
      event_type: 'agent.refused',
      ...claim,
      payload: { reason: message },
    },
  })
}
