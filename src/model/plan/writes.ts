import { below, isMatched, restOf } from '../text/glob.ts'
import type { Progress } from './advance.ts'
import { isDone } from './inputs.ts'
import { isByArtifacts } from './mixed.ts'
import type { Plan, Step } from './plan.ts'

/** The first step from which on a file may change, if the plan has not got that far; the name is below the project. */
export function opensLater(plan: Plan, progress: Progress, name: string): Step | undefined {
  const naming = plan.steps.filter(({ writes = [] }) => matches(writes, name))
  // A faulty step may be the one that was meant to open the file.
  if (naming.some((step) => isFaulty(plan, step))) return undefined
  const [first] = naming
  return first === undefined || isReached(plan, progress, first) ? undefined : first
}

/** True if some files may not change yet. */
export const holdsFiles = (plan: Plan, progress: Progress): boolean => {
  const isOpen = (pattern: string) =>
    plan.steps.some(
      (step) =>
        step.writes?.includes(pattern) === true && (isFaulty(plan, step) || isReached(plan, progress, step)),
    )
  return plan.steps.some(({ writes = [] }) => writes.some((pattern) => !isOpen(pattern)))
}

const isFaulty = ({ faulty = [] }: Plan, { id }: Step): boolean => faulty.includes(id)

const matches = (patterns: readonly string[], name: string): boolean =>
  patterns.length > 0 &&
  isMatched(
    name
      .split('/')
      .filter((part) => part !== '')
      .reduce(below, restOf(patterns)),
  )

/** True if a plan has got to a step or past it in this round; a loop to an earlier step begins another round. */
function isReached(plan: Plan, { status, current, open, visits }: Progress, step: Step): boolean {
  if (status === 'completed') return true
  const from = plan.steps.slice(plan.steps.indexOf(step))
  if (current.some((id) => from.some((one) => one.id === id))) return true
  // A loop in such a plan forgets the outcomes of the steps to repeat.
  if (isByArtifacts(plan)) return from.some((one) => isDone(one, visits))
  // Between two steps, what may follow shows where the plan stands.
  const isPast = (id: string) => id !== step.id && from.some((one) => one.id === id)
  return (
    current.length === 0 &&
    open.length > 0 &&
    open.every(isPast) &&
    from.some(({ id }) => visits[id]?.outcome !== undefined)
  )
}
