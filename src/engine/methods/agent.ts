import * as z from 'zod'
import { agentNotFound, EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { findAgent, listAgents, lockAgent, toAgent } from '../../store/agent.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { method } from '../call/method.ts'
import { refuseClaim, refuseRelease } from '../effort/handing.ts'
import { activeEffort, handEffort, registerAgent, releaseEffort } from '../effort/ownership.ts'
import { endOthers } from '../session/session-window.ts'
import * as p from '../call/params.ts'

const claims = z
  .union([z.array(p.name).max(200), p.text], 'must be a list of names or a comma-separated string')
  .describe('The skills that the agent accepts: a list or a comma-separated string.')

export const register = method({
  name: 'db.agents.register',
  summary: 'Register an agent or update it. Omitted fields keep their values.',
  effect: 'durable',
  params: z.strictObject({
    id: p.name,
    label: p.textUpTo(200).optional().describe('The display name of the agent.'),
    claims: claims.optional(),
  }),
  async run(tx, params, call) {
    const { id, label = '' } = params
    return await registerAgent(tx, { id, label: label.trim(), claims: claimList(params.claims) }, call)
  },
})

export const get = method({
  name: 'db.agents.get',
  summary: 'Show an agent and the effort it owns.',
  effect: 'read',
  params: z.strictObject({ id: p.name }),
  run: (tx, params) => agentWithEffort(tx, params.id),
})

export const list = method({
  name: 'db.agents.list',
  summary: 'List agents with the effort and session of each.',
  effect: 'read',
  params: z.strictObject({}),
  async run(tx) {
    const rows = await listAgents(tx, {})
    return rows.map(({ skill, ordinal, current_phase, task_id, ...row }) => ({
      ...toAgent(row),
      effort: row.effort_id === null ? null : { id: row.effort_id, skill, ordinal, current_phase, task_id },
    }))
  },
})

const claimParams = z.strictObject({
  agent_id: p.name,
  effort_id: p.id,
  native_id: p.name.optional().describe("The client's id of the session that calls."),
  take: z.boolean().default(false).describe('Take the effort also from a session that is at work.'),
})

export const claim = method({
  name: 'db.agents.claim',
  summary: 'Assign an active effort without an owner to an agent that claims its skill.',
  effect: 'durable',
  params: claimParams,
  async run(tx, { agent_id, effort_id, native_id, take }, call) {
    if ((await findAgent(tx, { id: agent_id })) === undefined) throw agentNotFound(agent_id)
    const effort = await activeEffort(tx, effort_id, 'claimed')
    const again = `holdfast agent claim ${shellWord(agent_id)} ${effort_id} --take`
    if (!take) await refuseClaim(tx, { effort, agent_id, native_id, take: again }, call.context)
    await handEffort(tx, { agent_id, effort_id }, call)
    // A program that assigns work without a word about sessions leaves them as they are.
    if (native_id !== undefined || take)
      await endOthers(tx, { effortId: effort_id, native_id, agent_id }, call)
    return await agentWithEffort(tx, agent_id)
  },
})

export const release = method({
  name: 'db.agents.release',
  summary: 'Release the effort of an agent, so that another agent can claim it.',
  effect: 'durable',
  params: claimParams.extend({
    effort_id: p.id.optional().describe('Default: the effort that the agent owns.'),
  }),
  async run(tx, params, call) {
    const agent = await lockAgent(tx, { id: params.agent_id })
    if (agent === undefined) throw agentNotFound(params.agent_id)
    const effortId = params.effort_id ?? agent.effort_id
    if (params.effort_id !== undefined && agent.effort_id !== null && agent.effort_id !== params.effort_id)
      throw new EngineError(
        'conflict',
        `Agent ${agent.id} owns effort ${agent.effort_id}, not ${params.effort_id}.`,
        {
          field: 'effort_id',
          hint: `holdfast agent release ${shellWord(agent.id)}`,
        },
      )
    if (agent.effort_id === null || effortId === null) return await agentWithEffort(tx, agent.id)
    const row = await findEffort(tx, { id: effortId })
    const again = `holdfast agent release ${shellWord(agent.id)} --take`
    if (row !== undefined && !params.take)
      await refuseRelease(
        tx,
        { effort: toEffort(row), agent_id: agent.id, native_id: params.native_id, take: again },
        call.context,
      )
    await releaseEffort(tx, { agent_id: agent.id, effort_id: effortId }, call)
    return await agentWithEffort(tx, agent.id)
  },
})

async function agentWithEffort(tx: Tx, id: string) {
  const row = await findAgent(tx, { id })
  if (row === undefined) throw agentNotFound(id)
  const effort = row.effort_id === null ? undefined : await findEffort(tx, { id: row.effort_id })
  return { ...toAgent(row), effort: effort === undefined ? null : toEffort(effort) }
}

/** An empty list counts as omitted, so that it never clears the claims. */
function claimList(given: string | readonly string[] | undefined): readonly string[] | undefined {
  const named = (typeof given === 'string' ? given.split(',') : (given ?? []))
    .map((claimed) => claimed.trim())
    .filter((claimed) => claimed !== '')
  return named.length === 0 ? undefined : [...new Set(named)]
}
