import * as z from 'zod'
import type { Session } from '../../model/session.ts'
import { listAgents, toAgent } from '../../store/agent.ts'
import type { Tx } from '../../store/query.ts'
import { newestOpenOfAgent, openWithoutAgent, toSession } from '../../store/session.ts'
import { placeOfSession } from '../../store/workplace.ts'
import { type AtWork, workFor } from '../effort/at-work.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'

export const list = method({
  name: 'fleet.list',
  summary: 'List the agents and the newest open sessions without an agent.',
  effect: 'read',
  params: z.strictObject({ limit: p.limit }),
  async run(tx, { limit }, { context }) {
    const { volatile } = context.store
    const agents = []
    for (const row of await listAgents(tx, {})) {
      const agent = toAgent(row)
      const effort = await workFor(tx, agent.effort_id, volatile)
      const own = await newestOpenOfAgent(tx, { agent_id: agent.id })
      const session = effort?.session ?? (own === undefined ? null : volatile.overlay(toSession(own)))
      agents.push({ agent, effort, session, workplace: await workplaceOf(tx, effort, session) })
    }
    const owned = new Set(agents.map(({ session }) => session?.id))
    const loose = (await openWithoutAgent(tx, {})).filter(({ id }) => !owned.has(id)).map(toSession)
    const sessions = []
    for (const row of loose.slice(0, limit)) {
      const session = volatile.overlay(row)
      const effort = await workFor(tx, session.effort_id, volatile)
      sessions.push({ agent: null, effort, session, workplace: await workplaceOf(tx, effort, session) })
    }
    return [...agents, ...sessions]
  },
})

/** The folder where a member works. */
const workplaceOf = async (tx: Tx, effort: AtWork | null, session: Session | null): Promise<string | null> =>
  (session === null ? undefined : await placeOfSession(tx, session))?.root ?? effort?.workplace ?? null
