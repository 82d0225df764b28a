import { listed, quoted } from '../text/line.ts'
import { isDone, missingFor } from './inputs.ts'
import { isByArtifacts, ledSteps, waivedFor } from './mixed.ts'
import { byArtifacts, byOutcome, mayStay, ready, settle, targetsFor, withinLimits } from './opening.ts'
import { PASS } from './returned.ts'
import { firstUndone } from '../runbook/order.ts'
import { mayEnd, type Plan, type Step, stepOf } from './plan.ts'

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

/** A step in the progress of a plan. */
export interface Visit {
  readonly attempts: number
  readonly outcome?: string
  /** Why it failed last; kept while it is tried again. */
  readonly failed?: string
  /** Set if the user let the work go on past its failure; it counts as done. */
  readonly waived?: true
  /** Set if the step was shown only in part; it does not count as read. */
  readonly partly?: true
  /** What its sub-agents have reported. */
  readonly children?: { readonly ok: number; readonly fail: number }
}

/** One move in a plan. */
export type Move =
  | {
      readonly kind: 'enter'
      readonly step: string
      /** Set if the user approved it against the plan. */
      readonly approved?: boolean
      /** Set if only a part of the step was shown. */
      readonly partly?: boolean
    }
  | {
      readonly kind: 'leave'
      readonly step: string
      readonly outcome: string
      /** Why it failed. */
      readonly reason?: string | undefined
      /** Set for a failure that only the user lets be tried again, whatever the limit says. */
      readonly asksUser?: boolean | undefined
    }
  /** The rest of a step was shown. */
  | { readonly kind: 'read'; readonly step: string }
  /** One of the sub-agents of a step reported. */
  | {
      readonly kind: 'report'
      readonly step: string
      readonly outcome: 'ok' | 'fail'
      /** Why it failed. */
      readonly reason?: string | undefined
      /** Set if the step owes more than reports, so that success does not end it. */
      readonly stays?: boolean
    }
  /** The user resumes a parked plan at a step. */
  | { readonly kind: 'resume'; readonly step: string }

/** The progress after a move, or why it is refused. */
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
      return enter(plan, progress, step, move)
    case 'leave':
      return leave(plan, progress, step, move)
    case 'read':
      return { ok: true, progress: readWhole(progress, step) }
    case 'report':
      return report(plan, progress, step, move)
    case 'resume':
      return resume(plan, progress, step)
    default:
      return move satisfies never
  }
}

function resume(plan: Plan, progress: Progress, step: Step): Advance {
  if (progress.status !== 'parked') return refuse('The plan is not parked.')
  const visits = waivedFor(plan, step, progress.visits)
  const own = visits[step.id]
  if (step.gate === undefined || targetsFor(step, PASS)?.length !== 0 || own?.outcome === undefined)
    return { ok: true, progress: { status: 'running', current: [], open: [step.id], visits } }
  // A gate has nothing to do again: past the last one, the plan ends.
  const ended = { ...visits, [step.id]: { ...own, waived: true as const } }
  return { ok: true, progress: { status: 'completed', current: [], open: [], visits: ended } }
}

function enter(
  plan: Plan,
  progress: Progress,
  step: Step,
  { approved = false, partly = false }: { readonly approved?: boolean; readonly partly?: boolean },
): Advance {
  if (progress.current.includes(step.id)) return { ok: true, progress }
  // The plan only advises about a faulty step.
  if (!approved && !progress.open.includes(step.id) && plan.faulty?.includes(step.id) !== true)
    return progress.status === 'parked'
      ? refuse(`The plan is parked. ${progress.reason ?? ''}`.trim())
      : refuseEntry(plan, progress, step)
  const { attempts: past = 0, failed } = progress.visits[step.id] ?? {}
  const begun: Visit = { attempts: past + 1, ...(partly && { partly: true }) }
  const isJump = approved && !progress.open.includes(step.id)
  const visits: Progress['visits'] = {
    ...(isJump ? waivedFor(plan, step, progress.visits) : progress.visits),
    [step.id]: failed === undefined ? begun : { ...begun, failed },
  }
  const open = progress.open.filter((id) => id !== step.id && !isClosedBy(plan, step, id))
  return {
    ok: true,
    progress: {
      status: 'running',
      current: [...progress.current, step.id],
      open: isDone(step, progress.visits) ? open.filter((id) => mayStay(plan, id, visits)) : open,
      visits,
    },
  }
}

/** Choosing one alternative closes the others; steps opened by artifacts stay open. */
function isClosedBy(plan: Plan, chosen: Step, other: string): boolean {
  if (!isByArtifacts(plan)) return stepOf(plan, other)?.next !== undefined
  const led = ledSteps(plan)
  return led.has(chosen.id) && led.has(other)
}

function readWhole(progress: Progress, { id }: Step): Progress {
  const visit = progress.visits[id]
  if (visit?.partly === undefined) return progress
  const { partly: _, ...whole } = visit
  return { ...progress, visits: { ...progress.visits, [id]: whole } }
}

/** The step ends as soon as its sub-agents have decided it. */
function report(
  plan: Plan,
  progress: Progress,
  step: Step,
  { outcome, reason, stays = false }: Omit<Extract<Move, { kind: 'report' }>, 'kind' | 'step'>,
): Advance {
  const visit = progress.visits[step.id]
  if (visit === undefined || !progress.current.includes(step.id)) return notStarted(step)
  const { ok, fail } = visit.children ?? { ok: 0, fail: 0 }
  const children = outcome === 'ok' ? { ok: ok + 1, fail } : { ok, fail: fail + 1 }
  const told = { ...progress, visits: { ...progress.visits, [step.id]: { ...visit, children } } }
  const { count, join } = step.dispatch ?? { count: 1, join: 1 }
  const decided = children.ok >= join ? 'ok' : children.fail > count - join ? 'fail' : undefined
  const isOpen = decided === undefined || (decided === 'ok' && stays)
  return isOpen ? { ok: true, progress: told } : leave(plan, told, step, { outcome: decided, reason })
}

/** How many of its sub-agents must still succeed. */
export const awaited = ({ dispatch }: Step, visit: Visit | undefined): number =>
  dispatch === undefined ? 0 : Math.max(0, dispatch.join - (visit?.children?.ok ?? 0))

function leave(
  plan: Plan,
  progress: Progress,
  step: Step,
  {
    outcome,
    reason,
    asksUser = false,
  }: Pick<Extract<Move, { kind: 'leave' }>, 'outcome' | 'reason' | 'asksUser'>,
): Advance {
  if (!progress.current.includes(step.id)) return notStarted(step)
  const visit = progress.visits[step.id] ?? { attempts: 1 }
  if (outcome === 'skip' && !maySkip(step)) return refuse(`Step ${quoted(step.label)} is required.`)
  const waits = awaited(step, visit)
  if (outcome === 'ok' && waits > 0)
    return refuse(`Step ${quoted(step.label)} waits for ${waits} more of its sub-agents.`)
  const visits = { ...progress.visits, [step.id]: endedWith(visit, outcome, reason) }
  const current = progress.current.filter((id) => id !== step.id)
  if (asksUser && outcome === 'fail' && current.length === 0)
    return { ok: true, progress: { status: 'parked', current, open: [], visits, reason: needsUser(step) } }
  const isOfRunbook = plan.runbook !== undefined && outcome === 'ok'
  const targets = isOfRunbook ? firstUndone(plan, visits) : targetsFor(step, outcome)
  // Another unplanned outcome is a question for the user, never the end.
  if (targets === undefined && !['ok', 'skip', 'fail'].includes(outcome)) return refuseOutcome(step, outcome)
  const isLeftOpen = targets === undefined && (outcome === 'ok' || outcome === 'skip')
  if (step.next === undefined || (isLeftOpen && isByArtifacts(plan)))
    return { ok: true, progress: byArtifacts(plan, { ...progress, current, visits }, step) }
  // A failure is always recorded; without a way on, the step opens again.
  if (targets === undefined && outcome === 'fail') {
    const open = [...new Set([...progress.open, step.id])]
    return { ok: true, progress: settle(plan, { status: 'running', current, open, visits }) }
  }
  if (targets === undefined) return refuseOutcome(step, outcome)
  if (isByArtifacts(plan))
    return { ok: true, progress: byOutcome(plan, { ...progress, current, visits }, step, targets) }
  if (current.length === 0 && mayEnd(plan, targets))
    return {
      ok: true,
      progress: { status: 'completed', current, open: withinLimits(plan, targets, visits), visits },
    }
  return {
    ok: true,
    progress: settle(plan, {
      status: 'running',
      current,
      open: [...new Set([...progress.open, ...targets])].filter((id) => !current.includes(id)),
      visits,
    }),
  }
}

const needsUser = ({ label }: Step): string => `Step ${quoted(label)} needs the user.`

/** Only a failure is kept with its reason. */
function endedWith(visit: Visit, outcome: string, reason: string | undefined): Visit {
  const { failed: _, ...rest } = visit
  return { ...rest, outcome, ...(outcome === 'fail' && reason !== undefined && { failed: reason }) }
}

function refuseOutcome(step: Step, outcome: string): Advance {
  const known = new Set(['ok', 'fail', ...(maySkip(step) ? ['skip'] : []), ...Object.keys(step.next ?? {})])
  const names = listed(
    [...known].filter((one) => one !== outcome),
    ROOM,
  )
  return refuse(
    `Step ${quoted(step.label)} has no next step for the outcome ${quoted(outcome)}. It has: ${names}.`,
  )
}

const ROOM = 600

const notStarted = (step: Step): Advance => refuse(`Step ${quoted(step.label)} has not started.`)

/** Only optional steps may be skipped, and those whose plan says where that leads. */
const maySkip = ({ optional, next }: Step): boolean =>
  optional || (next !== undefined && Object.hasOwn(next, 'skip'))

function refuseEntry(plan: Plan, progress: Progress, step: Step): Advance {
  const missing = missingFor(plan, step, progress.visits)
  const attempts = progress.visits[step.id]?.attempts ?? 0
  if (step.limit !== undefined && attempts >= step.limit)
    return refuse(`Step ${quoted(step.label)} was started ${attempts} times, which is its limit.`)
  const { current, open } = progress
  const namesOf = (ids: readonly string[]) =>
    ids.map((id) => quoted(stepOf(plan, id)?.label ?? id)).join(' or ')
  const now = open.length === 0 ? `step ${namesOf(current)} has started` : `next is ${namesOf(open)}`
  return refuse(`Step ${quoted(step.label)} is not next; ${now}.`, missing)
}

const refuse = (why: string, missing: readonly string[] = []): Advance => ({ ok: false, why, missing })
