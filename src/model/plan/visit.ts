import { advance, type Advance, begin, type Progress, type Visit } from './advance.ts'
import { inputsMissing } from './inputs.ts'
import { provenIn, type Recorded } from './evidence.ts'
import { quoted } from '../text/line.ts'
import { endAll } from './moves.ts'
import { settle } from './opening.ts'
import { isBrought, isPrinted, type Plan, type Step, stepOf } from './plan.ts'

/**
 * Reading a step starts it. Under the gate `visited`, starting the next step ends the previous one; under `produced`,
 * only recorded artifacts do. A visited step may always be read again.
 */
export function visit(
  plan: Plan,
  progress: Progress,
  step: string,
  recorded: Recorded,
  how: How = {},
): Advance {
  // A step may have the name of an inherited property.
  const isKnown = Object.hasOwn(progress.visits, step)
  const left = leaveDone(plan, progress, recorded)
  // A step that a loop or a failure opened again starts again, if nothing before it is left to do.
  if (isKnown && (progress.current.includes(step) || !left.open.includes(step)))
    return how.partly === true ? { ok: true, progress } : advance(plan, progress, { kind: 'read', step })
  const entered = advance(plan, left, { kind: 'enter', step, ...how })
  const missing = notRecorded(plan, stepOf(plan, step), recorded)
  if (missing.length === 0) return entered
  const why = entered.ok
    ? `Step ${quoted(stepOf(plan, step)?.label ?? step)} needs ${missing.map((name) => quoted(name)).join(', ')}.`
    : entered.why
  return { ok: false, why, missing: [...new Set([...(entered.ok ? [] : entered.missing), ...missing])] }
}

/** How a step is read; one that is read only in part does not end when the next one starts. */
interface How {
  readonly partly?: boolean
}

/** Enters a step that the user approved against the plan. */
export const visitApproved = (
  plan: Plan,
  progress: Progress,
  step: string,
  recorded: Recorded,
  how: How = {},
): Advance =>
  advance(plan, leaveDone(plan, progress, recorded), { kind: 'enter', step, ...how, approved: true })

/** True if a step that was read owes nothing; one that is printed, handed out, runs something or waits for sub-agents ends only with a report. */
const endsByItself = (plan: Plan, step: Step, recorded: Recorded): boolean =>
  !isPrinted(plan) &&
  plan.runbook === undefined &&
  step.runs === undefined &&
  step.dispatch === undefined &&
  hasProduced(plan, step, recorded) &&
  step.proof.every((field) => recorded.good.has(field))

const hasProduced = (plan: Plan, { produces }: Step, { good }: Recorded): boolean =>
  plan.gate === 'visited' || produces.every((artifact) => good.has(artifact))

/** Leaves started steps that owe nothing. */
export function leaveDone(plan: Plan, progress: Progress, recorded: Recorded): Progress {
  return leaveIf(plan, progress, (step) => endsByItself(plan, step, recorded) && !isPartly(progress, step.id))
}

/** True if a started step was read only in part. */
export const isPartly = ({ visits }: Progress, step: string): boolean =>
  Object.hasOwn(visits, step) && visits[step]?.partly === true

/** Leaves steps that were read and whose artifacts are all recorded; a step without any ends when the next starts. */
export const leaveRecorded = (plan: Plan, progress: Progress, recorded: Recorded): Progress =>
  plan.gate === 'visited'
    ? progress
    : leaveIf(
        plan,
        progress,
        (step) =>
          step.produces.length > 0 && endsByItself(plan, step, recorded) && !isPartly(progress, step.id),
      )

function leaveIf(plan: Plan, progress: Progress, isLeft: (step: Step) => boolean): Progress {
  return progress.current.reduce((before, id) => {
    const step = stepOf(plan, id)
    if (step === undefined || !isLeft(step)) return before
    const left = advance(plan, before, { kind: 'leave', step: id, outcome: 'ok' })
    return left.ok ? left.progress : before
  }, progress)
}

/** Inputs of a step that are not recorded or are stale. */
function notRecorded(plan: Plan, step: Step | undefined, { good }: Recorded): readonly string[] {
  // The plan only advises about a faulty step.
  if (plan.gate === 'visited' || step === undefined || plan.faulty?.includes(step.id) === true) return []
  return inputsMissing(plan, step, (artifact) => good.has(artifact))
}

/** The artifacts that started steps must still record. */
export const owedBy = (plan: Plan, { current }: Progress, { good }: Recorded): readonly string[] =>
  plan.gate === 'visited'
    ? []
    : current
        .flatMap((id) => stepOf(plan, id)?.produces ?? [])
        .filter((artifact) => !isBrought(plan, artifact) && !good.has(artifact))

/** The steps that may be read next, in plan order; those that were read in part come first. */
export function nextSteps(plan: Plan, progress: Progress, recorded: Recorded): readonly string[] {
  const open = new Set(leaveDone(plan, progress, recorded).open)
  const rest = progress.current.filter((id) => isPartly(progress, id))
  const next = plan.steps.filter(
    (step) => open.has(step.id) && notRecorded(plan, step, recorded).length === 0,
  )
  return [...rest, ...next.map(({ id }) => id)]
}

/** True if nothing required is left, though nobody may have said so. */
export const isCarriedOut = (plan: Plan, progress: Progress, recorded: Recorded): boolean =>
  Object.keys(progress.visits).length > 0 && unsaid(plan, progress, recorded).status === 'completed'

/** The progress once everything has ended that needs no word: files that were read, and a phase that owes no proof. */
function unsaid(plan: Plan, progress: Progress, recorded: Recorded): Progress {
  if (plan.notation === 'steps') return leaveDone(plan, progress, recorded)
  return plan.notation === 'phases'
    ? endAll(plan, progress, { recorded, proof: provenIn(recorded) }).progress
    : progress
}

/** Carries visits over to a changed plan, as far as they fit; `current` are the steps that were not left. */
export function replay(
  plan: Plan,
  visited: readonly string[],
  recorded: Recorded,
  visits: Progress['visits'] = {},
  current: readonly string[] = visited,
): Progress {
  const carried = visited.reduce((progress, id) => {
    const step = stepOf(plan, id)
    const past = Object.hasOwn(visits, id) ? visits[id] : undefined
    // A loop has opened it again, and nobody has started it since.
    if (past !== undefined && past.outcome === undefined && !current.includes(id)) return progress
    // A pipeline step ends with a report, whatever the gate is.
    const isCarried = plan.gate === 'produced' || step?.runs !== undefined
    // Reports and given proof are kept only with the visit.
    const isReported = step !== undefined && (step.dispatch !== undefined || step.proof.length > 0)
    const isKept = (isCarried && step?.next !== undefined) || isReported || hasEnded(plan, past)
    if (isKept && step !== undefined && past !== undefined) {
      const isOwed =
        step.runs === undefined &&
        past.outcome === 'ok' &&
        step.produces.length > 0 &&
        !hasProduced(plan, step, recorded)
      const before = isReported ? leaveDone(plan, progress, recorded) : progress
      const { outcome: _, ...begun } = past
      return doAgain(plan, before, id, isOwed ? begun : past)
    }
    const next = visit(plan, progress, id, recorded, { partly: past?.partly === true })
    return next.ok ? next.progress : progress
  }, begin(plan))
  return withAttempts(plan, leaveRecorded(plan, carried, recorded), visits)
}

/** True if the outcome of a step is known from its visit alone; under `produced`, success is known from the records. */
const hasEnded = ({ gate }: Plan, past: Visit | undefined): boolean =>
  past?.outcome !== undefined && (gate === 'visited' || past.outcome !== 'ok')

/** A changed plan gives nobody new attempts, not even for a limited step that it does not reach yet. */
function withAttempts(plan: Plan, progress: Progress, past: Progress['visits']): Progress {
  const counted = plan.steps.flatMap(({ id, limit }) => {
    const attempts = Object.hasOwn(past, id) ? (past[id]?.attempts ?? 0) : 0
    const now = Object.hasOwn(progress.visits, id) ? progress.visits[id] : undefined
    const isKept = attempts > (now?.attempts ?? 0) && (now !== undefined || limit !== undefined)
    const failed = now?.outcome === undefined || now.outcome === 'fail' ? past[id]?.failed : undefined
    if (!isKept && (failed === undefined || now === undefined)) return []
    const kept = { ...now, attempts: isKept ? attempts : (now?.attempts ?? 0) }
    return [[id, { ...kept, ...(failed !== undefined && { failed }) }] as const]
  })
  const known = { ...progress, visits: { ...progress.visits, ...Object.fromEntries(counted) } }
  return progress.status === 'running' ? settle(plan, known) : known
}

/** Carries over the outcome, attempts and reports of a step that does not end by itself. */
function doAgain(plan: Plan, progress: Progress, step: string, past: Visit): Progress {
  const attempts = past.attempts - 1
  const tried = attempts === 0 ? progress.visits : { ...progress.visits, [step]: { attempts } }
  const partly = past.partly === true
  const entered = advance(plan, { ...progress, visits: tried }, { kind: 'enter', step, partly })
  if (!entered.ok) return progress
  const now = withReports(entered.progress, step, past)
  if (past.outcome === undefined) return now
  const left = advance(plan, now, { kind: 'leave', step, outcome: past.outcome })
  return left.ok ? left.progress : now
}

/** What sub-agents have reported counts in the changed plan too. */
function withReports(progress: Progress, step: string, { children }: Visit): Progress {
  const now = progress.visits[step]
  if (children === undefined || now === undefined) return progress
  return { ...progress, visits: { ...progress.visits, [step]: { ...now, children } } }
}
