import * as z from 'zod'
import { AD_HOC_ORDINAL } from '../model/effort.ts'
import type { Session } from '../model/session.ts'
import { listAgents, toAgent } from '../store/agent.ts'
import { findEffort, toEffort } from '../store/effort.ts'
import type { Tx } from '../store/query.ts'
import { newestOpenOfAgent, openWithoutAgent, toSession } from '../store/session.ts'
import type { Volatile } from '../store/volatile.ts'
import { type AtWork, atWork } from './at-work.ts'
import { method } from './method.ts'
import * as p from './params.ts'

export const list = method({
  name: 'fleet.list',
  summary: 'Who is doing what: every agent, and the newest open sessions that work for none.',
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
      agents.push({ agent, effort, session })
    }
    const owned = new Set(agents.map(({ session }) => session?.id))
    const loose = (await openWithoutAgent(tx, {})).filter(({ id }) => !owned.has(id)).map(toSession)
    const sessions: { agent: null; effort: AtWork | null; session: Session }[] = []
    for (const session of loose.slice(0, limit))
      sessions.push({
        agent: null,
        effort: await workFor(tx, session.effort_id, volatile),
        session: volatile.overlay(session),
      })
    return [...agents, ...sessions]
  },
})

/** Nothing where it is the ad-hoc effort, which is no work of its own. */
async function workFor(tx: Tx, id: number | null, volatile: Volatile): Promise<AtWork | null> {
  const row = id === null ? undefined : await findEffort(tx, { id })
  if (row === undefined || row.ordinal === AD_HOC_ORDINAL) return null
  return await atWork(tx, toEffort(row), volatile)
}
