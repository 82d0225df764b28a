import type { Way } from '../workflow/view.ts'
import { REASON } from './action-words.ts'
import { advance, awaited, type Progress } from './advance.ts'
import { decidedOutcome, decidingNames, ownState } from './decided.ts'
import { provenIn, type Recorded } from './evidence.ts'
import { blankOf, type Fields, missingIn, valueFlag } from './fields.ts'
import { NOTHING_OWED, owedFor } from './moves.ts'
import { doneCommand, nameOf, showCommand, stepCommand } from './next-action.ts'
import { ANY_OUTCOME, type Plan, type Step, targetsOf } from './plan.ts'
import type { Values } from './plan-for.ts'
import { shellWord } from '../shell/word.ts'

/** Where an effort stands in a workflow. */
interface Work {
  readonly plan: Plan
  readonly progress: Progress
  readonly recorded: Recorded
  readonly values: Values
  /** What a refused call gave: it was not kept, so the command that works gives it again. */
  readonly said?: Values | undefined
}

/** The ways on from a started step, each with its command, success first; none while it waits for sub-agents. */
export function waysOn(effortId: number, work: Work, step: Step): readonly Way[] {
  const { progress } = work
  if (!progress.current.includes(step.id) || awaited(step, progress.visits[step.id]) > 0) return []
  if (step.run !== undefined)
    return [{ outcome: 'ok', command: showCommand(effortId), to: targetsOf(step)[0] ?? null }]
  const decided = decidedWay(effortId, work, step)
  if (decided !== undefined) return [decided]
  return outcomesOf(step).flatMap((outcome) => {
    const to = leadsTo(work, step, outcome)
    return to === undefined ? [] : [{ outcome, command: commandFor(effortId, work, step, outcome), to }]
  })
}

/** The outcomes that the plan has a way for: success first, failure last. */
function outcomesOf({ next = {}, onError }: Step): readonly string[] {
  const named = Object.keys(next).filter((one) => !['ok', 'fail', ANY_OUTCOME].includes(one))
  const isMapped = (outcome: string) => Object.hasOwn(next, outcome) || Object.hasOwn(next, ANY_OUTCOME)
  return [
    ...(isMapped('ok') ? ['ok'] : []),
    ...named,
    ...(isMapped('fail') || onError !== undefined ? ['fail'] : []),
  ]
}

/** The step that an outcome leads to, null for the end; undefined if the plan does not allow it. */
function leadsTo(
  { plan, progress }: Pick<Work, 'plan' | 'progress'>,
  step: Step,
  outcome: string,
): string | null | undefined {
  const left = advance(plan, progress, { kind: 'leave', step: step.id, outcome })
  if (!left.ok) return undefined
  if (left.progress.status === 'completed') return null
  // A plan that parks still says where the outcome would have led.
  return left.progress.open[0] ?? step.next?.[outcome]?.[0] ?? step.onError ?? null
}

/** The only way of a step whose outcome the values decide: they say which it is. */
function decidedWay(effortId: number, work: Work, step: Step): Way | undefined {
  if (step.decides === undefined) return undefined
  const own = ownState(work.plan)
  const asked = [
    ...new Set([...askedBy(step, own), ...(mayEndPlan(step) ? missingIn(own, work.values) : [])]),
  ]
  const outcome = decidedOutcome(step, work.values) ?? 'ok'
  const to = asked.length > 0 ? targetsOf(step)[0] : leadsTo(work, step, outcome)
  const command = leavingCommand(effortId, work, step, setFlags(own, asked, work.said))
  return { outcome, command, to: to ?? null }
}

/** The values that decide a step and that its caller gives. */
export const askedBy = (step: Step, own: Fields): readonly string[] =>
  decidingNames(step).filter((name) => Object.hasOwn(own, name))

const mayEndPlan = ({ next = {} }: Step): boolean => Object.values(next).some(({ length }) => length === 0)

/** The flags that give values, with a blank for each that nobody has said. */
const setFlags = (fields: Fields, asked: readonly string[], said: Values = {}): string =>
  [...new Set([...asked, ...Object.keys(said)])]
    .map((name) => {
      const field = fields[name]
      return field === undefined ? '' : valueFlag('set', name, said[name] ?? blankOf(field))
    })
    .join('')

/** The command that leaves a step with an outcome. */
function commandFor(effortId: number, work: Work, step: Step, outcome: string): string {
  const { plan } = work
  const visit = visitFlag(work, step)
  if (outcome === 'fail' || outcome === 'skip')
    return stepCommand(outcome, effortId, nameOf(plan, step), `${visit}${REASON}`)
  const ends = leadsTo(work, step, outcome) === null
  const own = ownState(plan)
  const asked = ends ? missingIn(own, work.values) : []
  const more = `${outcome === 'ok' ? '' : ` --outcome ${shellWord(outcome)}`}${setFlags(own, asked, work.said)}`
  return outcome === 'ok'
    ? leavingCommand(effortId, work, step, more)
    : doneCommand(effortId, plan, step, { owed: NOTHING_OWED, more: `${visit}${more}` })
}

/** Leaving a step well shows what it owes. */
function leavingCommand(effortId: number, work: Work, step: Step, more: string): string {
  const { plan, progress, recorded } = work
  const owed = owedFor(plan, progress, step, { recorded, proof: provenIn(recorded) })
  return doneCommand(effortId, plan, step, { owed, more: `${visitFlag(work, step)}${more}` })
}

const visitFlag = ({ progress }: Work, { id }: Step): string =>
  ` --visit ${progress.visits[id]?.attempts ?? 1}`
