import type { Effort } from '../../model/effort.ts'
import type { Progress } from '../../model/plan/advance.ts'
import type { Called } from '../../model/plan/called.ts'
import type { Recorded } from '../../model/plan/evidence.ts'
import { fillIn, isForUser } from '../../model/plan/action-words.ts'
import { nameOf, nextActions, showCommand, stepCommand } from '../../model/plan/next-action.ts'
import { fullName } from '../../model/plan/phase.ts'
import type { Plan, Step } from '../../model/plan/plan.ts'
import type { ResultSchema } from '../../model/result-schema.ts'
import { wayTo } from '../../model/plan/way.ts'
import { shellWord } from '../../model/shell/word.ts'
import { isByHand } from '../../model/text/told-commands.ts'
import { thenLine } from './words.ts'

interface Work {
  readonly effort: Effort
  readonly plan: Plan
  readonly progress: Progress
  readonly recorded: Recorded
  /** Steps that the user approved once against the plan. */
  readonly approved?: readonly string[]
  /** The skill that the current step of a pipeline has called. */
  readonly called?: Called | undefined
  readonly resultSchema?: ResultSchema | undefined
}

interface Reader {
  /** A sub-agent leaves it to the main thread. */
  readonly isSubagent?: boolean
  /** The step to get to, if one is meant. */
  readonly towards?: Step
}

/** The next action of an effort and the steps that are left to one that is meant, as the end of a refusal. */
export function nextAction(work: Work, { isSubagent = false, towards }: Reader = {}): string {
  const way = towards === undefined ? [] : wayOf(work, towards)
  const actions = nextActions(work.effort, work)
  // Starting a step may end the one before it.
  const started = way.findIndex((step) => actions.some((one) => leadsTo(one, work, step)))
  const action = actions.find((one) => leadsTo(one, work, way[started])) ?? actions[0]
  const named = action ?? showCommand(work.effort.id)
  const toDo = inWords(named)
  if (isSubagent) return `Next: leave it as it is and report that; the main thread can ${toDo}`
  if (isForUser(named)) return `Next: ask the user; only the user can ${toDo}`
  const then = way.slice(Math.max(started, 0) + 1).map((step) => fullName(work.plan, step))
  const after = then.length === 0 ? '' : `.${thenLine(then)}`
  return [...fillIn([named]), `Next: ${toDo}${after}`].join(' ')
}

/** All steps that are left up to a step, with the step itself; what was begun comes first. */
const wayOf = ({ plan, progress, recorded }: Work, towards: Step): readonly Step[] => [
  ...(wayTo(plan, progress, towards.id, recorded) ?? []),
  towards,
]

/** True if an action starts a step. */
function leadsTo(action: string, { effort, plan }: Work, step: Step | undefined): boolean {
  if (step === undefined) return false
  const names = [fullName(plan, step), nameOf(plan, step)]
  return (
    action === `read ${shellWord(step.place.file)}` ||
    names.some((name) => action.includes(stepCommand('go', effort.id, name)))
  )
}

/** An action as the object of a sentence; commands are run. */
export const inWords = (action: string): string => (isByHand(action) ? action : `run ${action}`)
