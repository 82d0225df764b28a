import type { Change } from '../model/change.ts'
import type { Effort } from '../model/effort.ts'
import { oneLine } from '../model/line.ts'
import type { OpenCall } from '../model/open-call.ts'
import type { Rule } from './rule.ts'
import { takeCharge } from './spans.ts'
import { standing } from './standing.ts'

/** A new context window knows nothing: it is told where the work stands, and the exact next action. */
export const recap: Rule = {
  name: 'recap',
  summary: 'tells a new context window where the work stands and what comes next',
  on: ['session.started'],
  judge(event, { work, spans, waiting, openCalls }) {
    // A compaction ends no call: what is under way will still be told.
    const goesOn = event.kind === 'session.started' && event.source === 'compact'
    const lost = goesOn ? [] : openCalls
    const contexts = [
      ...(work === undefined ? [] : standing(work)),
      ...(lost.length === 0 ? [] : [unknown(lost)]),
      ...(waiting.length === 0 ? [] : [waits(waiting)]),
    ]
    // The end of a session completed its spans; whoever comes back is at work again.
    const isAtWork = work?.plan === undefined || spans.some(({ status }) => status === 'active')
    const back = isAtWork ? [] : takeCharge(spans, work)
    const changes: readonly Change[] =
      lost.length === 0 ? back : [...back, { kind: 'calls.unknown', calls: lost }]
    return { contexts, changes }
  },
}

const MOST_SHOWN = 5
const MOST_CALLS = 20
const LONGEST_TEXT = 100

function unknown(calls: readonly OpenCall[]): string {
  const lines = calls
    .slice(-MOST_CALLS)
    .map(
      ({ tool, what, at }) => `- ${oneLine(tool, LONGEST_TEXT)} ${oneLine(what, LONGEST_TEXT)} (begun ${at})`,
    )
  const more = calls.length > MOST_CALLS ? [`- and ${calls.length - MOST_CALLS} before them`] : []
  return `When the client ended, these tool calls were under way, and their outcome is unknown. Look before repeating them:\n${[...lines, ...more].join('\n')}`
}

function waits(efforts: readonly Effort[]): string {
  const lines = efforts
    .slice(0, MOST_SHOWN)
    .map(
      ({ id, skill, task_id, current_phase: phase }) =>
        `- effort ${id}, skill ${oneLine(skill)}${phase === null ? '' : `, in phase ${oneLine(phase, LONGEST_TEXT)}`}, in ${oneLine(task_id)}: holdfast effort get ${id}`,
    )
  // How many there are in all is not asked for, because it could be any number.
  const more = efforts.length > MOST_SHOWN ? ['- and more: holdfast effort find-active'] : []
  return `Holdfast keeps work that nobody is at now; call its skill to go on:\n${[...lines, ...more].join('\n')}`
}
