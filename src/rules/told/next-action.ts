import type { Effort } from '../../model/effort.ts'
import type { Progress } from '../../model/plan/advance.ts'
import type { Recorded } from '../../model/plan/evidence.ts'
import { fillIn, nextActions } from '../../model/plan/next-action.ts'
import type { Plan } from '../../model/plan/plan.ts'

/** The next action of an effort, as the end of a refusal; a sub-agent leaves it to the main thread. */
export function nextAction(
  work: {
    readonly effort: Effort
    readonly plan: Plan
    readonly progress: Progress
    readonly recorded: Recorded
  },
  isSubagent = false,
): string {
  const [action = `holdfast step --effort ${work.effort.id}`] = nextActions(work.effort, work)
  const toDo = inWords(action)
  if (isSubagent) return `Next: leave it as it is and report that; the main thread can ${toDo}`
  if (work.progress.status === 'parked') return `Next: ask the user; only the user can ${toDo}`
  return [...fillIn([action]), `Next: ${toDo}`].join(' ')
}

/** An action as the object of a sentence; commands are run. */
export const inWords = (action: string): string => (/^(read|do) /.test(action) ? action : `run ${action}`)
