import { recapOf } from '../model/recap.ts'
import { rule } from './rule.ts'
import { besidePlan, memorySections } from './told/memory.ts'
import { BUDGETS } from './told/sections.ts'

/** New work begins with what earlier work knew. */
export const memory = rule({
  name: 'memory',
  summary: 'quotes earlier sessions and documents that are about the request of a called skill',
  setting: 'memory',
  on: ['prompt.submitted', 'tool.before'],
  wakes: ({ invocations }) => invocations.length > 0,
  needs: ['invoked', 'memory'],
  judge(_, { invoked, memory: known, now, session }) {
    const [call] = invoked
    if (call === undefined || known === undefined || session.scope_of !== null) return undefined
    if (known.missed !== undefined)
      return { changes: [{ kind: 'memory.missed', skill: call.name, why: known.missed }] }
    const quotes = besidePlan(known.quotes, call.skill.plan)
    if (quotes.length === 0) return undefined
    const { text } = recapOf(memorySections({ ...known, quotes }, now), { budget: BUDGETS.memory })
    return { contexts: [text], changes: [{ kind: 'memory.told', skill: call.name, quotes }] }
  },
})
