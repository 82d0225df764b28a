import { quoted } from '../text/line.ts'
import { ANY_OUTCOME, type Plan, ROOT_ARTIFACTS, type Step, stepOf } from './plan.ts'

/** The progress of a plan. All of it is stored; nothing else keeps a position. */
export interface Progress {
  readonly status: 'running' | 'completed' | 'parked'
  /** Steps that were entered and not left. */
  readonly current: readonly string[]
  /** Steps that may be entered now. */
  readonly open: readonly string[]
  /** How often each step was entered, and its last outcome. */
  readonly visits: Readonly<Record<string, Visit>>
  /** Why it is parked. */
  readonly reason?: string
}

export interface Visit {
  readonly attempts: number
  readonly outcome?: string
}

/** One move in a plan. */
export type Move =
  | {
      readonly kind: 'enter'
      readonly step: string
      /** Set if the user approved it against the plan. */
      readonly approved?: boolean
    }
  | { readonly kind: 'leave'; readonly step: string; readonly outcome: string }
  /** The user resumes a parked plan at a step. */
  | { readonly kind: 'resume'; readonly step: string }

export type Advance =
  | { readonly ok: true; readonly progress: Progress }
  | { readonly ok: false; readonly why: string; readonly missing: readonly string[] }

/** The progress of a plan that has not started. */
export function begin(plan: Plan): Progress {
  const open = plan.entry.length > 0 ? plan.entry : ready(plan, {})
  return settle(plan, { status: 'running', current: [], open, visits: {} })
}

/** The only runner. Deterministic; a refused move changes nothing. */
export function advance(plan: Plan, progress: Progress, move: Move): Advance {
  const step = stepOf(plan, move.step)
  if (step === undefined) return refuse(`The plan has no step ${quoted(move.step)}.`)
  switch (move.kind) {
    case 'enter':
      return enter(plan, progress, step, move.approved ?? false)
    case 'leave':
      return leave(plan, progress, step, move.outcome)
    case 'resume':
      if (progress.status !== 'parked') return refuse('The plan is not parked.')
      return {
        ok: true,
        progress: { status: 'running', current: [], open: [step.id], visits: progress.visits },
      }
    default:
      return move satisfies never
  }
}

function enter(plan: Plan, progress: Progress, step: Step, approved: boolean): Advance {
  if (progress.current.includes(step.id)) return { ok: true, progress }
  if (!approved && !progress.open.includes(step.id))
    return progress.status === 'running'
      ? refuseEntry(plan, progress, step)
      : refuse(`The plan is ${progress.status}.`)
  const attempts = (progress.visits[step.id]?.attempts ?? 0) + 1
  return {
    ok: true,
    progress: {
      status: 'running',
      current: [...progress.current, step.id],
      // Choosing one alternative closes the others; steps opened by artifacts stay open.
      open: progress.open.filter((id) => id !== step.id && stepOf(plan, id)?.next === undefined),
      visits: { ...progress.visits, [step.id]: { attempts } },
    },
  }
}

function leave(plan: Plan, progress: Progress, step: Step, outcome: string): Advance {
  if (!progress.current.includes(step.id)) return refuse(`Step ${quoted(step.label)} has not started.`)
  const visits = {
    ...progress.visits,
    [step.id]: { attempts: progress.visits[step.id]?.attempts ?? 1, outcome },
  }
  const current = progress.current.filter((id) => id !== step.id)
  if (step.next === undefined)
    return { ok: true, progress: byArtifacts(plan, { ...progress, current, visits }, step) }
  const targets = targetsFor(step, outcome)
  // An unplanned outcome is a question for the user, never the end.
  if (targets === undefined)
    return refuse(`Step ${quoted(step.label)} has no next step for the outcome ${quoted(outcome)}.`)
  if (targets.length === 0 && current.length === 0)
    return { ok: true, progress: { status: 'completed', current, open: [], visits } }
  return {
    ok: true,
    progress: settle(plan, {
      status: 'running',
      current,
      open: [...new Set([...progress.open, ...targets])],
      visits,
    }),
  }
}

function targetsFor(step: Step, outcome: string): readonly string[] | undefined {
  const next = step.next ?? {}
  // An outcome may have the name of an inherited property.
  if (Object.hasOwn(next, outcome)) return next[outcome]
  if (outcome !== 'ok' && step.onError !== undefined) return [step.onError]
  return next[ANY_OUTCOME]
}

/** A failed step opens again; a successful one opens the steps that waited for it. */
function byArtifacts(plan: Plan, progress: Progress, step: Step): Progress {
  const outcome = progress.visits[step.id]?.outcome
  const failed = outcome !== 'ok' && outcome !== 'skip'
  const detour = failed && step.onError !== undefined ? [step.onError] : []
  const open = [...new Set([...detour, ...ready(plan, progress.visits)])].filter(
    (id) => !progress.current.includes(id),
  )
  const left = plan.steps.filter((one) => !one.optional && !isDone(one, progress.visits))
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

/** Steps at their limit are no longer open. */
const withinLimits = (plan: Plan, open: readonly string[], visits: Progress['visits']): readonly string[] =>
  open.filter((id) => (visits[id]?.attempts ?? 0) < (stepOf(plan, id)?.limit ?? Infinity))

/** Parks a plan that has nothing left to start, so that the user decides. */
function settle(plan: Plan, progress: Progress): Progress {
  const { visits } = progress
  const open = withinLimits(plan, progress.open, visits)
  if (open.length > 0 || progress.current.length > 0) return { ...progress, open }
  const spent = progress.open.filter((id) => !open.includes(id))
  const names = spent.map((id) => quoted(stepOf(plan, id)?.label ?? id))
  const reason = spent.length > 0 ? `Limit reached for step ${names.join(', ')}.` : 'No step can start.'
  return { status: 'parked', current: [], open: [], visits, reason }
}

function ready(plan: Plan, visits: Progress['visits']): readonly string[] {
  return plan.steps
    .filter(
      (step) =>
        step.next === undefined && !isDone(step, visits) && missingFor(plan, step, visits).length === 0,
    )
    .map((step) => step.id)
}

const isDone = (step: Step, visits: Progress['visits']): boolean => {
  const outcome = visits[step.id]?.outcome
  return outcome === 'ok' || (outcome === 'skip' && step.optional)
}

/** The artifacts that a step still needs; those of optional producers do not count. */
export function missingFor(plan: Plan, step: Step, visits: Progress['visits']): readonly string[] {
  return step.consumes.filter((artifact) => {
    if (ROOT_ARTIFACTS.includes(artifact)) return false
    const producers = plan.steps.filter((one) => one.produces.includes(artifact))
    // An artifact without a producer is a fault of the plan (HF307) and must not block the work.
    return (
      producers.length > 0 && !producers.some((producer) => producer.optional || isDone(producer, visits))
    )
  })
}

function refuseEntry(plan: Plan, progress: Progress, step: Step): Advance {
  const missing = missingFor(plan, step, progress.visits)
  const attempts = progress.visits[step.id]?.attempts ?? 0
  if (step.limit !== undefined && attempts >= step.limit)
    return refuse(`Step ${quoted(step.label)} was started ${attempts} times, which is its limit.`)
  const next = progress.open.length === 0 ? progress.current : progress.open
  const names = next.map((id) => quoted(stepOf(plan, id)?.label ?? id))
  return refuse(`Step ${quoted(step.label)} is not next; next is ${names.join(' or ')}.`, missing)
}

const refuse = (why: string, missing: readonly string[] = []): Advance => ({ ok: false, why, missing })
