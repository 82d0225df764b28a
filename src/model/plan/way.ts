import type { Progress } from './advance.ts'
import { advance } from './advance.ts'
import type { Recorded } from './evidence.ts'
import { outcomeTo } from './moves.ts'
import { isBrought, type Plan, producersIn, type Step, stepOf, targetsOf } from './plan.ts'
import { leaveDone, leaveRecorded, nextSteps, visit } from './visit.ts'

/**
 * The steps to do before a step may start, in the order that works: found by doing them, so that whoever follows the
 * list gets there. Undefined if the plan has no way there.
 */
export function wayTo(
  plan: Plan,
  progress: Progress,
  target: string,
  recorded: Recorded,
): readonly Step[] | undefined {
  const way: Step[] = []
  let now = progress
  let known = recorded
  const wanted = needed(plan, target)
  // Each round does one step, and a loop may need some of them twice.
  for (let round = 0; round <= 2 * plan.steps.length; round++) {
    // Once per round, because every question about the next step would do it again.
    now = leaveDone(plan, now, known)
    if (visit(plan, now, target, known).ok) return way
    const open = nextSteps(plan, now, known).flatMap((id) => stepOf(plan, id) ?? [])
    const begun = now.current.flatMap((id) => stepOf(plan, id) ?? [])
    const next = open.find(({ id }) => wanted.has(id)) ?? open.find(({ optional }) => !optional) ?? begun[0]
    if (next === undefined) return undefined
    const done = doneIn(plan, now, { step: next, towards: wanted, recorded: known })
    if (done === undefined) return undefined
    // A step that must be left by a command takes a round to start and another one to end.
    if (way.at(-1) !== next) way.push(next)
    ;({ progress: now, recorded: known } = done)
  }
  return undefined
}

/** The steps that a step depends on, by artifacts or by outcomes that lead to it. */
function needed(plan: Plan, target: string): ReadonlySet<string> {
  const found = new Set([target])
  // The loop also visits what it adds.
  for (const id of found) {
    const step = stepOf(plan, id)
    for (const artifact of step?.consumes ?? [])
      for (const one of producersIn(plan).get(artifact) ?? []) if (!one.optional) found.add(one.id)
    for (const one of plan.steps) if (targetsOf(one).includes(id)) found.add(one.id)
  }
  return found
}

/** The state after a step was read and everything that it owes was recorded; one that was begun ends. */
function doneIn(
  plan: Plan,
  progress: Progress,
  {
    step,
    towards,
    recorded,
  }: { readonly step: Step; readonly towards: ReadonlySet<string>; readonly recorded: Recorded },
): { readonly progress: Progress; readonly recorded: Recorded } | undefined {
  const isBegun = progress.current.includes(step.id)
  const entered = isBegun ? { ok: true as const, progress } : visit(plan, progress, step.id, recorded)
  if (!entered.ok) return undefined
  const products = step.produces.filter((artifact) => !isBrought(plan, artifact))
  const known = { good: new Set([...recorded.good, ...products, ...step.proof]), stale: recorded.stale }
  const goal = Object.values(step.next ?? {})
    .flat()
    .find((id) => towards.has(id) && entered.progress.visits[id] === undefined)
  const outcome = goal === undefined ? 'ok' : outcomeTo(step, goal)
  if (step.dispatch !== undefined) {
    const told = reportedBy(entered.progress, step, step.dispatch.join)
    const ended = advance(plan, told, { kind: 'leave', step: step.id, outcome })
    return ended.ok ? { progress: ended.progress, recorded: known } : undefined
  }
  if (outcome === 'ok' && !isBegun)
    return { progress: leaveRecorded(plan, entered.progress, known), recorded: known }
  const left = advance(plan, entered.progress, { kind: 'leave', step: step.id, outcome })
  return left.ok ? { progress: left.progress, recorded: known } : undefined
}

/** The progress once so many sub-agents have done a step. */
const reportedBy = ({ visits, ...rest }: Progress, { id }: Step, ok: number): Progress => ({
  ...rest,
  visits: { ...visits, [id]: { attempts: 1, ...visits[id], children: { ok, fail: 0 } } },
})
