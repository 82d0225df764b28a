import type { Change } from '../model/change.ts'
import type { Effort } from '../model/effort.ts'
import { recapOf, type Section } from '../model/recap.ts'
import { shellWord } from '../model/shell.ts'
import { backgroundSections } from './background.ts'
import type { Facts, Rule } from './rule.ts'
import { takeCharge } from './spans.ts'
import { standing } from './standing.ts'

/** A new context window knows nothing: it is told where the work stands, and the exact next action. */
export const recap: Rule = {
  name: 'recap',
  summary: 'tells a new context window where the work stands and what comes next',
  on: ['session.started'],
  judge(_, facts) {
    const { work, spans, openCalls: lost } = facts
    const { text } = recapOf(recapSections(facts), {
      budget: SESSION_BUDGET,
      whole: wholeRecap(work?.effort.id),
    })
    const contexts = text === '' ? [] : [text]
    // The end of a session completed its spans; whoever comes back is at work again.
    const back = work?.plan === undefined ? [] : takeCharge(spans, work)
    const unknown: readonly Change[] = lost.length === 0 ? [] : [{ kind: 'calls.unknown', calls: lost }]
    return { contexts, changes: [...back, ...unknown] }
  },
}

/** Clients cut what is longer than 10,000 characters. */
const SESSION_BUDGET = 3000

/** The command that tells it all. */
export const wholeRecap = (effort: number | undefined): string =>
  `holdfast recap${effort === undefined ? '' : ` --effort ${effort}`} --budget 20000`

/** What a fresh context window must know, whoever asks; the most important first. */
export function recapSections({
  work,
  openCalls,
  background,
  waiting,
}: Pick<Facts, 'work' | 'openCalls' | 'background' | 'waiting'>): readonly Section[] {
  const where = work === undefined ? [] : standing(work)
  return [
    { name: 'standing', lines: where.flatMap((text) => text.split('\n')), isEssential: true },
    {
      name: 'unknown',
      title:
        'When the client ended, these tool calls were under way, and their outcome is unknown. Look before repeating them:',
      lines: openCalls.map(({ tool, what, at }) => `- ${tool} ${what} (begun ${at})`),
    },
    ...(background === undefined ? [] : backgroundSections(background)),
    {
      name: 'waiting',
      title: 'Holdfast keeps work that nobody is at now; call its skill to go on:',
      lines: waits(waiting),
    },
  ]
}

const MOST_WAITING = 5

function waits(efforts: readonly Effort[]): readonly string[] {
  const lines = efforts
    .slice(0, MOST_WAITING)
    .map(
      ({ id, skill, task_id, current_phase }) =>
        `- effort ${id}, skill ${skill}${current_phase === null ? '' : `, in phase ${current_phase}`}, in ${task_id}: holdfast effort get ${shellWord(String(id))}`,
    )
  const more = efforts.length > MOST_WAITING ? [`- and ${efforts.length - MOST_WAITING} more`] : []
  return [...lines, ...more]
}
