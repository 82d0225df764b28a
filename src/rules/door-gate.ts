import { asCommand, isRaise, onlyTheUser, whatDoorsDo } from '../model/door.ts'
import type { Level } from '../model/level.ts'
import type { Doors } from '../model/subject.ts'
import { listed } from '../model/text/line.ts'
import { rule, type Verdict } from './rule.ts'

/** An agent must not loosen its own rules, so the user decides: asked by the client, or in a terminal. */
export const doorGate = rule({
  name: 'door-gate',
  summary:
    'asks the user before a call loosens the rules or changes the files that hold them; at strict, refuses it',
  on: ['tool.before'],
  hearsSubagents: true,
  wakes: ({ doors }) => doors !== undefined,
  needs: ['doors'],
  judge(event, { level, session, doors: found }): Verdict | undefined {
    if (event.kind !== 'tool.before' || found === undefined) return undefined
    const doors = loosening(found, level)
    if (doors.calls.length + doors.files.length === 0) return undefined
    const { id: call } = event.tool
    const isAsked = level === 'enforce' && event.subagent === undefined && call !== undefined
    if (isAsked) return { ask: { question: questionOf(doors), call, doors: doors.calls, files: doors.files } }
    // At observe, the command itself records who called it.
    if (level === 'observe' && doors.files.length === 0) return undefined
    return { block: { reason: refusalOf(doors, event.session), skill: '', effort: session.effort_id } }
  },
})

/** What is left without calls that raise the level; projects without a level may have any. */
const loosening = ({ calls, files }: Doors, level: Level): Doors => ({
  calls: calls.filter((words) => !isRaise(words, { own: level, general: 'locked' })),
  files,
})

const ROOM = 600

const questionOf = ({ calls, files }: Doors): string => {
  const wishes = [
    ...(calls.length > 0
      ? [`to ${whatDoorsDo(calls, 'loosen its own rules')} with ${calls.map(asCommand).join(' and ')}`]
      : []),
    ...(files.length > 0 ? [`to use files that hold its rules: ${listed(files, ROOM)}`] : []),
  ]
  return `The agent wants ${wishes.join(', and ')}. Say yes only if you want that. Where nobody can say it, the call is refused: go on within the plan, or ask the user to do it in a terminal of their own.`
}

const refusalOf = ({ calls, files }: Doors, session: string | undefined): string =>
  calls.length > 0
    ? onlyTheUser(calls, session)
    : `Only the user can use ${listed(files, ROOM)}, because it holds the rules of Holdfast. Next: ask the user to do it in a terminal of their own, or go on within the plan (holdfast step shows how).`
