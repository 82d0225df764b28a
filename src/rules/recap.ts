import type { Change } from '../model/change.ts'
import type { Effort } from '../model/effort.ts'
import { shellWord } from '../model/shell.ts'
import type { Rule } from './rule.ts'
import { takeCharge } from './spans.ts'
import { standing } from './standing.ts'

/** A new context window knows nothing: it is told where the work stands, and the exact next action. */
export const recap: Rule = {
  name: 'recap',
  summary: 'tells a new context window where the work stands and what comes next',
  on: ['session.started'],
  judge(_, { work, spans, waiting, openCalls }) {
    const lost = openCalls.map(({ tool, what, at }) => `- ${tool} ${what} (begun ${at})`)
    const contexts = [
      ...(work === undefined ? [] : standing(work)),
      ...(lost.length === 0
        ? []
        : [
            `When the client ended, these tool calls were under way, and their outcome is unknown. Look before repeating them:\n${lost.join('\n')}`,
          ]),
      ...(waiting.length === 0 ? [] : [waits(waiting)]),
    ]
    // The end of a session completed its spans; whoever comes back is at work again.
    const back = work === undefined ? [] : takeCharge(spans, work)
    const unknown: readonly Change[] = lost.length === 0 ? [] : [{ kind: 'calls.unknown', calls: openCalls }]
    return { contexts, changes: [...back, ...unknown] }
  },
}

const MOST_WAITING = 5

function waits(efforts: readonly Effort[]): string {
  const lines = efforts
    .slice(0, MOST_WAITING)
    .map(
      ({ id, skill, task_id, current_phase }) =>
        `- effort ${id}, skill ${skill}${current_phase === null ? '' : `, in phase ${current_phase}`}, in ${task_id}: holdfast effort get ${shellWord(String(id))}`,
    )
  const more = efforts.length > MOST_WAITING ? [`- and ${efforts.length - MOST_WAITING} more`] : []
  return `Holdfast keeps work that nobody is at now; call its skill to go on:\n${[...lines, ...more].join('\n')}`
}
