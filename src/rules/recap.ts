import type { Change } from '../model/change.ts'
import { type Effort, isTracked } from '../model/effort.ts'
import { oneLine } from '../model/text/line.ts'
import type { OpenCall } from '../model/open-call.ts'
import { recapOf, type Section } from '../model/recap.ts'
import { backgroundSections } from './told/background.ts'
import type { Facts } from './facts.ts'
import { rule } from './rule.ts'
import { takeCharge } from './spans.ts'
import { standing } from './told/standing.ts'

/** A new context window knows nothing: it is told where the work stands, and the exact next action. */
export const recap = rule({
  name: 'recap',
  summary: 'tells a new context window where the work stands and what comes next',
  on: ['session.started'],
  wakes: () => true,
  needs: ['work', 'spans', 'background', 'waiting'],
  judge(event, facts) {
    const { work, spans, session } = facts
    // A compaction ends no call: what is under way will still be told.
    const goesOn = event.kind === 'session.started' && event.source === 'compact'
    const lost = goesOn ? [] : session.open_calls
    const { text } = recapOf(recapSections({ ...facts, openCalls: lost }), {
      budget: SESSION_BUDGET,
      whole: wholeRecap(work?.effort.id),
    })
    const contexts = text === '' ? [] : [text]
    // The end of a session completed its spans; whoever comes back is at work again.
    const isAtWork = spans.some(({ status }) => status === 'active')
    const back = isAtWork || work === undefined || !isTracked(work) ? [] : takeCharge(spans, work)
    const changes: readonly Change[] =
      lost.length === 0 ? back : [...back, { kind: 'calls.unknown', calls: lost }]
    return { contexts, changes }
  },
})

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
}: Pick<Facts, 'work' | 'background' | 'waiting'> & {
  readonly openCalls: readonly OpenCall[]
}): readonly Section[] {
  const where = work === undefined ? [] : standing(work)
  return [
    { name: 'standing', lines: where.flatMap((text) => text.split('\n')), isEssential: true },
    {
      name: 'unknown',
      title:
        'When the client ended, these tool calls were under way, and their outcome is unknown. Look before repeating them:',
      lines: unknown(openCalls),
    },
    ...(background === undefined ? [] : backgroundSections(background)),
    {
      name: 'waiting',
      title: 'Holdfast keeps work that nobody is at now; each goes on with its command:',
      lines: waits(waiting),
    },
  ]
}

const MOST_SHOWN = 5
const MOST_CALLS = 20
const LONGEST_TEXT = 100

function unknown(calls: readonly OpenCall[]): readonly string[] {
  const lines = calls
    .slice(-MOST_CALLS)
    .map(
      ({ tool, what, at }) => `- ${oneLine(tool, LONGEST_TEXT)} ${oneLine(what, LONGEST_TEXT)} (begun ${at})`,
    )
  const more = calls.length > MOST_CALLS ? [`- and ${calls.length - MOST_CALLS} before them`] : []
  return [...lines, ...more]
}

function waits(efforts: readonly Effort[]): readonly string[] {
  const lines = efforts
    .slice(0, MOST_SHOWN)
    .map(
      ({ id, skill, task_id, current_phase: phase }) =>
        `- effort ${id}, skill ${oneLine(skill)}${phase === null ? '' : `, in phase ${oneLine(phase, LONGEST_TEXT)}`}, in ${oneLine(task_id)}: holdfast session continue ${id}`,
    )
  // How many there are in all is not asked for, because it could be any number.
  const more = efforts.length > MOST_SHOWN ? ['- and more: holdfast effort find-active'] : []
  return [...lines, ...more]
}
