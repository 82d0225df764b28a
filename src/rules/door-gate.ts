import { doorsOf } from '../model/door-calls.ts'
import { asCommand, onlyTheUser, type OurWords, whatDoorsDo } from '../model/door.ts'
import { isStrict } from '../model/level.ts'
import { rule, type Verdict } from './rule.ts'

/** An agent must not loosen its own rules, so the user decides: asked by the client, or in a terminal. */
export const doorGate = rule({
  name: 'door-gate',
  summary: 'asks the user before a command loosens the rules; at strict, refuses it',
  on: ['tool.before'],
  hearsSubagents: true,
  wakes: ({ event }) => doorsOf(event).length > 0,
  needs: [],
  judge(event, { level, session }): Verdict | undefined {
    const doors = doorsOf(event)
    if (event.kind !== 'tool.before' || doors.length === 0) return undefined
    const { id: call } = event.tool
    if (isStrict(level) || event.subagent !== undefined || call === undefined)
      return { block: { reason: onlyTheUser(doors, event.session), skill: '', effort: session.effort_id } }
    // At observe, the command itself records who called it.
    return level === 'observe' ? undefined : { ask: { question: questionOf(doors), call, doors } }
  },
})

const questionOf = (doors: readonly OurWords[]): string =>
  `The agent wants to ${whatDoorsDo(doors, 'loosen its own rules')} with ${doors.map(asCommand).join(' and ')}. Say yes only if you want that.`
