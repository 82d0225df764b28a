import type { HookEvent } from '../../../model/event.ts'
import { addSeen, type Seen } from '../../../model/plan/shown.ts'
import { scopeId } from '../../../model/session.ts'
import type { HandedOver, SkillFacts } from '../../../rules/facts.ts'
import { openDelegations, toDelegation } from '../../../store/delegation.ts'
import type { Tx } from '../../../store/query.ts'
import { seenBy } from '../../plan/shown.ts'
import { skillNamed } from '../session-skill.ts'
import type { Loader } from './loader.ts'

/** Steps of this session with open delegations. */
export const delegations: Loader<'delegations'> = {
  looks: ['records'],
  async load(tx, scene) {
    const session_id = scene.window.session.native_id ?? ''
    const rows = await openDelegations(tx, { session_id })
    const known = new Map<string, SkillFacts | undefined>()
    for (const { skill } of rows) if (!known.has(skill)) known.set(skill, await skillNamed(tx, skill, scene))
    const found: HandedOver[] = []
    const agent = agentOf(scene.looked.event)
    for (const one of rows.map(toDelegation)) {
      const skill = known.get(one.skill)
      if (skill === undefined) continue
      // One after the other, because a transaction has one connection.
      const seen = agent === undefined ? undefined : await seenFor(tx, { ...one, agent, session_id })
      found.push({ ...one, skill, ...(seen !== undefined && { seen }) })
    }
    return found
  },
}

/** The sub-agent that an event is about. */
const agentOf = (event: HookEvent): string | undefined =>
  event.subagent?.id ?? (event.kind === 'tool.after' ? event.tool.subagent?.id : undefined)

interface Given {
  readonly effort: number | undefined
  readonly call: string
  readonly agent: string
  readonly session_id: string
}

/** What the prompt of the call and the own reads of its sub-agent showed of each step. */
async function seenFor(
  tx: Tx,
  { effort, call, agent, session_id }: Given,
): Promise<Readonly<Record<string, Seen>>> {
  if (effort === undefined) return {}
  const seenIn = (id: string) => seenBy(tx, { effort_id: effort, scope: scopeId(session_id, id) })
  const given = await seenIn(call)
  // Without an entry for the call, the step file could not be read.
  if (Object.keys(given).length === 0) return {}
  const own = await seenIn(agent)
  return Object.fromEntries(
    Object.entries(given).map(([step, seen]) => {
      const read = own[step]
      return [step, read === undefined ? seen : addSeen(seen, read)]
    }),
  )
}
