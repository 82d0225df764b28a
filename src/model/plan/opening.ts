import { quoted } from '../text/line.ts'
import type { Progress } from './advance.ts'
import { isDone, missingFor } from './inputs.ts'
import { isByArtifacts, ledSteps, undone } from './mixed.ts'
import { ANY_OUTCOME, type Plan, type Step, stepOf } from './plan.ts'

/** Where an outcome of a step leads; undefined if the plan does not say. */
export function targetsFor(step: Step, outcome: string): readonly string[] | undefined {
  const next = step.next ?? {}
  // An outcome may have the name of an inherited property.
  if (Object.hasOwn(next, outcome)) return next[outcome]
  if (outcome !== 'ok' && step.onError !== undefined) return [step.onError]
  return next[ANY_OUTCOME]
}

/** An outcome in a plan of artifacts: it ends the plan, opens its targets, or leads back. */
export function byOutcome(plan: Plan, progress: Progress, step: Step, targets: readonly string[]): Progress {
  const { current } = progress
  if (targets.length === 0) return ended(progress)
  const visits = undone(plan, step.id, targets, progress.visits)
  const stays = progress.open.filter((id) => mayStay(plan, id, visits))
  const open = [...targets, ...stays, ...ready(plan, visits)]
  return settle(plan, { ...progress, visits, open: [...new Set(open)].filter((id) => !current.includes(id)) })
}

/** A step that is to be done again takes back what it made, so its consumers wait once more. */
export function mayStay(plan: Plan, id: string, visits: Progress['visits']): boolean {
  const step = stepOf(plan, id)
  if (step === undefined || !isByArtifacts(plan) || ledSteps(plan).has(id)) return true
  return missingFor(plan, step, visits).length === 0
}

/** Nothing more opens; what was started may still end. */
const ended = (progress: Progress): Progress => ({
  ...progress,
  status: progress.current.length === 0 ? 'completed' : progress.status,
  open: [],
})

/** True if the outcome of a step has ended the plan. */
const endsPlan = (step: Step, visits: Progress['visits']): boolean => {
  const outcome = visits[step.id]?.outcome
  return outcome !== undefined && step.next !== undefined && targetsFor(step, outcome)?.length === 0
}

/** A failed step opens again; a successful one opens the steps that waited for it. */
export function byArtifacts(plan: Plan, progress: Progress, step: Step): Progress {
  if (plan.steps.some((one) => endsPlan(one, progress.visits))) return ended(progress)
  const outcome = progress.visits[step.id]?.outcome
  const failed = outcome !== 'ok' && outcome !== 'skip'
  const detour = failed && step.onError !== undefined ? [step.onError] : []
  const led = ledSteps(plan)
  const chosen = [
    ...(failed && detour.length === 0 && led.has(step.id) ? [step.id] : []),
    ...progress.open.filter((id) => led.has(id)),
  ]
  // A step at its limit leads elsewhere once, when it is left.
  const mayStart = (id: string) => id === step.id || withinLimits(plan, [id], progress.visits).includes(id)
  const open = [...new Set([...detour, ...chosen, ...ready(plan, progress.visits).filter(mayStart)])].filter(
    (id) => !progress.current.includes(id),
  )
  const left = plan.steps.filter(
    (one) =>
      !one.optional &&
      !isDone(one, progress.visits) &&
      (!led.has(one.id) || open.includes(one.id) || progress.visits[one.id]?.outcome !== undefined) &&
      plan.faulty?.includes(one.id) !== true,
  )
  // Optional steps may come last: entering one completes the plan again.
  if (left.length === 0 && progress.current.length === 0)
    return {
      status: 'completed',
      current: [],
      open: withinLimits(plan, open, progress.visits),
      visits: progress.visits,
    }
  return settle(plan, { ...progress, open })
}

/** Steps at their limit are no longer open; what follows on the limit is. */
export function withinLimits(
  plan: Plan,
  open: readonly string[],
  visits: Progress['visits'],
): readonly string[] {
  const found = new Set<string>()
  for (const first of open) {
    const passed = new Set<string>()
    for (let id: string | undefined = first; id !== undefined && !passed.has(id);) {
      const step: Step | undefined = stepOf(plan, id)
      if ((visits[id]?.attempts ?? 0) < (step?.limit ?? Infinity)) {
        found.add(id)
        break
      }
      passed.add(id)
      id = step?.onLimit
    }
  }
  return [...found]
}

/** Parks a plan that has nothing left to start, so that the user decides. */
export function settle(plan: Plan, progress: Progress): Progress {
  const { visits } = progress
  const open = withinLimits(plan, progress.open, visits)
  if (open.length > 0 || progress.current.length > 0) return { ...progress, open }
  const spent = progress.open.filter((id) => !open.includes(id))
  const names = spent.map((id) => quoted(stepOf(plan, id)?.label ?? id))
  const reason = spent.length > 0 ? `Limit reached for step ${names.join(', ')}.` : 'No step can start.'
  return { status: 'parked', current: [], open: [], visits, reason }
}

/** The steps that artifacts, or nothing at all, let start. */
export function ready(plan: Plan, visits: Progress['visits']): readonly string[] {
  const led = ledSteps(plan)
  const hasEnded = (step: Step) => {
    const { outcome, waived = false } = visits[step.id] ?? {}
    if (step.next === undefined || outcome === undefined || waived) return isDone(step, visits)
    // A failure without a way on is tried again.
    return outcome !== 'fail' || targetsFor(step, outcome) !== undefined
  }
  return plan.steps
    .filter((step) => (isByArtifacts(plan) || step.next === undefined) && !led.has(step.id))
    .filter((step) => !hasEnded(step) && missingFor(plan, step, visits).length === 0)
    .map((step) => step.id)
}
