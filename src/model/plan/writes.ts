import { exceptionsIn, matchesAny } from '../text/glob.ts'
import type { Progress } from './advance.ts'
import { isDone } from './inputs.ts'
import { isByArtifacts } from './mixed.ts'
import { consumersIn, type Plan, type Step, targetsOf } from './plan.ts'

/** The first step from which on a file may change, if the plan has not got that far; the name is below the project. */
export function opensLater(plan: Plan, progress: Progress, name: string): Step | undefined {
  const naming = plan.steps.filter(({ writes = [] }) => matchesAny(writes, name))
  // A faulty step may be the one that was meant to open the file.
  if (naming.some((step) => isFaulty(plan, step))) return undefined
  return naming.some((step) => isReached(plan, progress, step)) ? undefined : naming[0]
}

/** True if some files may not change yet. */
export const holdsFiles = (plan: Plan, progress: Progress): boolean => {
  const isOpen = (pattern: string, among: readonly string[]) =>
    plan.steps.some(
      (step) =>
        opens(step.writes ?? [], pattern, among) && (isFaulty(plan, step) || isReached(plan, progress, step)),
    )
  return plan.steps.some(({ writes = [] }) =>
    writes.some((pattern) => !pattern.startsWith('!') && !isOpen(pattern, writes)),
  )
}

/** Whether a list opens all files that a pattern among others means: it has no exceptions of its own. */
const opens = (writes: readonly string[], pattern: string, among: readonly string[]): boolean =>
  writes.includes(pattern) && exceptionsIn(writes).every((one) => exceptionsIn(among).includes(one))

const isFaulty = ({ faulty = [] }: Plan, { id }: Step): boolean => faulty.includes(id)

/** True if a plan has got to a step or past it in this round; a loop to an earlier step begins another round. */
function isReached(plan: Plan, { status, current, open, visits }: Progress, step: Step): boolean {
  if (status === 'completed') return true
  const from = onwards(plan, step)
  if (current.some((id) => from.has(id))) return true
  // A loop in such a plan forgets the outcomes of the steps to repeat.
  if (isByArtifacts(plan)) return plan.steps.some((one) => from.has(one.id) && isDone(one, visits))
  // Between two steps, what may follow shows where the plan stands.
  return (
    current.length === 0 &&
    open.length > 0 &&
    open.every((id) => id !== step.id && from.has(id)) &&
    [...from].some((id) => visits[id]?.outcome !== undefined)
  )
}

/** A step, and what it leads to by outcomes or artifacts without a way back; what is only listed later is no part. */
function onwards(plan: Plan, step: Step): ReadonlySet<string> {
  const found = new Set([step.id])
  // Each step is listed before those that it leads on to, so one pass finds them all.
  const places = new Map(plan.steps.map(({ id }, place) => [id, place]))
  for (const [place, one] of plan.steps.entries())
    if (found.has(one.id))
      for (const id of followersOf(plan, one)) if ((places.get(id) ?? 0) > place) found.add(id)
  return found
}

const followersOf = (plan: Plan, step: Step): readonly string[] => [
  ...targetsOf(step),
  ...(isByArtifacts(plan)
    ? step.produces.flatMap((name) => (consumersIn(plan).get(name) ?? []).map(({ id }) => id))
    : []),
]
