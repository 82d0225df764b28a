import { begin, type Progress } from '../../model/plan/advance.ts'
import { type Effort, type OpenEffort, wordsOf } from '../../model/effort.ts'
import type { HookEvent } from '../../model/event.ts'
import { nextPhases } from '../../model/plan/phase-judge.ts'
import { isPipeline, type Plan, stepOf } from '../../model/plan/plan.ts'
import { progressText } from '../../model/plan/progress-text.ts'
import { nextSteps } from '../../model/plan/visit.ts'
import type { Section } from '../../model/recap.ts'
import { inOneLine, listed, oneLine, quoted } from '../../model/text/line.ts'
import type { SkillFacts } from '../facts.ts'
import type { Past } from './past.ts'
import { placeOf } from './open.ts'
import { effortOf } from './words.ts'

/** Lines for the user, who sees neither reasons nor contexts. */

const LONGEST = 300
const LONGEST_NAME = 100

/** What was refused, for which skill, and why; the next action is for the agent only. */
export function refusedLine(
  event: HookEvent,
  { reason, skill }: { readonly reason: string; readonly skill: string },
): string {
  const what = 'tool' in event ? event.tool.name : (event.name ?? event.kind)
  const [why = ''] = reason.split(/ Next: |\n/, 1)
  const whose = skill === '' ? '' : ` for ${oneLine(skill, LONGEST_NAME)}`
  return `Refused ${oneLine(what, LONGEST_NAME)}${whose}: ${oneLine(why, LONGEST)}`
}

/** What a recap gave back to the agent; undefined if nothing. */
export function recapLine(
  work: (SkillFacts & { readonly effort: Effort }) | undefined,
  sections: readonly Section[],
  open: readonly OpenEffort[] = [],
  past?: Past,
): string | undefined {
  if (work !== undefined) {
    const where = positionIn(work)
    const head = `Gave the agent back ${effortOf(work.effort.id, work.name)}`
    return where === '' ? `${head}.` : `${head}: ${where}.`
  }
  const topics = sections.filter(({ lines }) => lines.length > 0).map(({ name }) => TOPICS[name] ?? name)
  if (topics.length === 0) return undefined
  return [`Told the agent about ${topics.join(', ')}.`, ...stoppedLine(past), ...resumeLine(open)].join(' ')
}

/** How the user resumes a session that stopped without an end. */
const stoppedLine = (past: Past | undefined): readonly string[] =>
  past?.whose === 'stopped' && past.resume !== undefined ? [`To resume it: ${past.resume}.`] : []

const MOST_SHOWN = 3

/** How the user resumes each free effort. */
function resumeLine(open: readonly OpenEffort[]): readonly string[] {
  const free = open.filter(({ holder }) => holder === null)
  const ways = free
    .slice(0, MOST_SHOWN)
    .map(
      (one) =>
        `/${oneLine(one.skill)} --continue ${one.id} (${[withRequest(one), ...placeOf(one)].join(', ')})`,
    )
  const end = free.length > MOST_SHOWN ? ', and more: holdfast effort find-active' : '.'
  return ways.length === 0 ? [] : [`To resume: ${ways.join(', ')}${end}`]
}

const withRequest = (effort: Effort): string => {
  const words = wordsOf(effort)
  const name = effortOf(effort.id, effort.skill)
  return words === '' ? name : `${name}, ${quoted(inOneLine(words), LONGEST_NAME)}`
}

/** Confirms to the user which effort a call goes on with. */
export const continuedLine = (effort: Effort, position: string): string =>
  `Goes on with ${[withRequest(effort), ...(position === '' ? [] : [oneLine(position, LONGEST)])].join(', ')}.`

const TOPICS: Readonly<Record<string, string>> = {
  unknown: 'tool calls of unknown outcome',
  dehydration: 'a handover note',
  'last-window': 'the last session',
  past: 'what was asked and done before',
  todos: 'the todo list',
  stopped: 'a session that stopped without an end',
  read: 'files to read',
  changed: 'changed files',
  related: 'earlier sessions about its files',
  path: 'its work folder',
  chain: 'its chain of skills',
  chains: 'chains that no session has',
  queue: 'open queue items',
  others: 'the efforts of other agents',
  finished: 'finished efforts',
  waiting: 'unfinished efforts',
  'session-file': 'the session file',
  'in-use': 'efforts in use',
}

/** Where the work stands in its plan; empty without one. */
export function positionIn(work: SkillFacts & { readonly effort: Effort }): string {
  const { plan, effort } = work
  if (plan?.notation === 'phases') {
    const next = nextPhases(plan, work.progress ?? begin(plan))
    return parts([
      effort.current_phase === null
        ? 'no phase entered'
        : `phase ${quoted(effort.current_phase, LONGEST_NAME)}`,
      named('next', next.slice(0, 1)),
    ])
  }
  return plan === undefined ? '' : stepsIn(work, plan, work.progress ?? begin(plan))
}

function stepsIn({ recorded }: SkillFacts, plan: Plan, now: Progress): string {
  const labels = (ids: readonly string[]) => ids.map((id) => stepOf(plan, id)?.label ?? id)
  const open = isPipeline(plan) || plan.runbook !== undefined ? now.open : nextSteps(plan, now, recorded)
  const required = open.filter((id) => stepOf(plan, id)?.optional === false)
  return parts([progressText(plan, now), named('next', labels([...required, ...open].slice(0, 1)))])
}

const named = (what: string, names: readonly string[]): string =>
  names.length === 0 ? '' : `${what}: ${listed(names, LONGEST)}`

const parts = (texts: readonly string[]): string => texts.filter((text) => text !== '').join(', ')

/** Several notices in one line; whatever follows a command begins a new line. */
export const inOneNotice = (notices: readonly string[]): string =>
  notices.reduce((all, one) => `${all}${all.endsWith('.') ? ' ' : '\n'}${one}`)
