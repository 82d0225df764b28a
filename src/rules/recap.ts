import type { Change } from '../model/change.ts'
import { isTracked, type OpenEffort } from '../model/effort.ts'
import { inOneLine, oneLine } from '../model/text/line.ts'
import { relativeTime } from '../model/text/time.ts'
import type { OpenCall } from '../model/open-call.ts'
import { recapOf, type Section } from '../model/recap.ts'
import { backgroundSections } from './told/background.ts'
import type { Facts } from './facts.ts'
import { rule } from './rule.ts'
import { takeCharge } from './spans.ts'
import { recapLine } from './told/notice.ts'
import { standing } from './told/standing.ts'
import { openEffort, resumeCommand } from './told/open.ts'
import { UNFINISHED } from './told/words.ts'

/** A new context knows nothing, so it gets the state of the work and the exact next action. */
export const recap = rule({
  name: 'recap',
  summary: 'gives a new context window the state of the work and the next action',
  on: ['session.started'],
  wakes: () => true,
  needs: ['work', 'spans', 'background', 'open'],
  judge(event, facts) {
    const { work, spans, session } = facts
    const isScope = session.scope_of !== null
    // A compaction ends no call: the client still reports its result.
    const goesOn = event.kind === 'session.started' && event.source === 'compact'
    const lost = goesOn ? [] : session.open_calls
    const open = isScope ? [] : facts.open.filter(({ id }) => id !== session.effort_id)
    const background = isScope ? onlyOwn(facts.background) : facts.background
    const sections = recapSections({ ...facts, background, open, openCalls: lost })
    const { text } = recapOf(sections, {
      budget: SESSION_BUDGET,
      whole: wholeRecap(work?.effort.id),
    })
    const contexts = text === '' ? [] : [text]
    // The end of a session completed its spans; a resumed session is at work again.
    const isAtWork = spans.some(({ status }) => status === 'active')
    const back = isAtWork || work === undefined || !isTracked(work) ? [] : takeCharge(spans, work)
    const changes: readonly Change[] =
      lost.length === 0 ? back : [...back, { kind: 'calls.unknown', calls: lost }]
    const notice = recapLine(work, sections)
    return { contexts, changes, ...(notice !== undefined && { notice }) }
  },
})

/** A sub-agent hears of its own work only. */
const onlyOwn = (background: Facts['background']): Facts['background'] =>
  background && { ...background, queue: [], others: [], finished: [] }

/** Clients cut contexts at 10,000 characters. */
const SESSION_BUDGET = 3000

/** The command that prints the full recap. */
export const wholeRecap = (effort: number | undefined): string =>
  `holdfast recap${effort === undefined ? '' : ` --effort ${effort}`} --budget 20000`

/** The sections of a recap, most important first, for hooks and commands alike. */
export function recapSections({
  work,
  openCalls,
  background,
  open,
  now,
}: Pick<Facts, 'work' | 'background' | 'open' | 'now'> & {
  readonly openCalls: readonly OpenCall[]
}): readonly Section[] {
  const where = work === undefined ? [] : standing(work)
  return [
    { name: 'standing', lines: where.flatMap((text) => text.split('\n')), isEssential: true },
    {
      name: 'unknown',
      title:
        'These tool calls were running when the client ended; their outcome is unknown. Check before you repeat them:',
      lines: unknown(openCalls, Date.parse(now)),
    },
    ...(background === undefined ? [] : backgroundSections(background)),
    {
      name: 'waiting',
      title: UNFINISHED,
      lines: waits(open, now),
    },
  ]
}

const MOST_SHOWN = 5
const MOST_CALLS = 20
const LONGEST_TEXT = 100

function unknown(calls: readonly OpenCall[], now: number): readonly string[] {
  const lines = calls
    .slice(-MOST_CALLS)
    .map(
      ({ tool, what, at }) =>
        `- ${oneLine(tool, LONGEST_TEXT)} ${inOneLine(what, LONGEST_TEXT)} (started ${relativeTime(at, now)})`,
    )
  const more = calls.length > MOST_CALLS ? [`- and ${calls.length - MOST_CALLS} earlier calls`] : []
  return [...lines, ...more]
}

/** Efforts that somebody works on are told as such by the background. */
function waits(open: readonly OpenEffort[], now: string): readonly string[] {
  const free = open.filter(({ holder }) => holder === null)
  const lines = free.slice(0, MOST_SHOWN).map((one) => `- ${openEffort(one, now)}: ${resumeCommand(one)}`)
  // The total is not loaded, because it has no bound.
  const more = free.length > MOST_SHOWN ? ['- more: holdfast effort find-active'] : []
  return [...lines, ...more]
}
