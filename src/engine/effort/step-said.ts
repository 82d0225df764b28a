import { isAdHoc } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { remarksOn } from '../../model/plan/action-words.ts'
import { advance } from '../../model/plan/advance.ts'
import { decidedOutcome, ownState } from '../../model/plan/decided.ts'
import { faultsIn, missingIn, startingCommand, wantedOf } from '../../model/plan/fields.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { type Field, isPrinted, type Plan, type Step } from '../../model/plan/plan.ts'
import type { Values } from '../../model/plan/plan-for.ts'
import { askedBy, waysOn } from '../../model/plan/ways.ts'
import { quoted } from '../../model/text/line.ts'
import { lockEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { followedBy } from '../plan/plan.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { type Mover, stepNamed, withPlan } from './mover.ts'
import { refusedStep } from './refused-step.ts'

interface OfVisit {
  readonly effort_id: number
  readonly step?: string | undefined
  readonly visit?: number | undefined
}

/** Where an effort stands, if a call is about a visit that has ended: it must move nothing. */
export async function afterVisit(
  tx: Tx,
  { effort_id, step: word, visit }: OfVisit,
  files: SeenFiles,
): Promise<Mover | undefined> {
  if (visit === undefined) return undefined
  const hint = showCommand(effort_id)
  if (word === undefined)
    throw new EngineError('invalid', 'A visit is one of a step; name the step too.', { field: 'visit', hint })
  // Locked, so that two calls about one visit run one after the other.
  const row = await lockEffort(tx, { id: effort_id })
  if (row === undefined || isAdHoc(row)) return undefined
  const effort = toEffort(row)
  const mover = withPlan(effort, await followedBy(tx, effort, files))
  const step = stepNamed(mover, word)
  const { current, visits } = mover.progress
  const attempts = visits[step.id]?.attempts ?? 0
  if (visit > attempts) {
    const reason = `Step ${quoted(step.label)} was entered ${attempts} ${attempts === 1 ? 'time' : 'times'}, so it has no visit ${visit}.`
    throw refusedStep(effort, { step: step.id, rule: 'plan', reason, field: 'visit', hint, code: 'conflict' })
  }
  const isOpen = visit === attempts && current.includes(step.id) && effort.lifecycle === 'active'
  return isOpen ? undefined : mover
}

/** Refuses values that a workflow does not keep, or that do not fit. */
export function checkState(
  { effort, plan }: Pick<Mover, 'effort'> & { readonly plan: Plan | undefined },
  set: Values,
  field: 'set' | 'proof' = 'set',
): void {
  if (plan === undefined || !isPrinted(plan)) return
  const own = ownState(plan)
  const [fault] = Object.keys(set).flatMap((name) => {
    if (Object.hasOwn(own, name)) return faultsIn(own, { [name]: set[name] ?? '' })
    if (Object.hasOwn(plan.params ?? {}, name)) return [`${name} was given at the start and stays.`]
    if (Object.hasOwn(plan.state ?? {}, name)) return [`${name} is what the review says, and nobody else.`]
    return faultsIn(own, { [name]: '' })
  })
  if (fault === undefined) return
  throw new EngineError('invalid', fault, { field, hint: showCommand(effort.id) })
}

/** The outcome that a caller means: where values decide it, no other is taken. */
export function outcomeMeant(mover: Mover, step: Step, said: string | undefined): string {
  const { plan, progress, values } = mover
  const decided = decidedOutcome(step, values)
  if (step.decides === undefined || !progress.current.includes(step.id)) return said ?? decided ?? 'ok'
  // A command that failed has decided nothing.
  if (step.run !== undefined && said === 'fail') return said
  const own = ownState(plan)
  const missing = askedBy(step, own).find((name) => (values[name] ?? '') === '')
  const field = missing === undefined ? undefined : own[missing]
  if (missing !== undefined && field !== undefined)
    throw undecided(
      mover,
      step,
      `Step ${quoted(step.label)} needs a value of ${missing}: ${wantedOf(field)}.`,
    )
  if (decided === undefined)
    throw undecided(mover, step, `Nothing decides how step ${quoted(step.label)} ends.`)
  if (said === undefined || said === decided) return decided
  const why = `The values of step ${quoted(step.label)} decide that it ends with ${quoted(decided)}, not ${quoted(said)}.`
  throw undecided(mover, step, why)
}

/** Refuses to end a workflow that must still say something. */
export function checkSaid(mover: Mover, step: Step, outcome: string): void {
  const { plan, progress, values } = mover
  if (!isPrinted(plan) || outcome === 'fail') return
  const left = advance(plan, progress, { kind: 'leave', step: step.id, outcome })
  if (!left.ok || left.progress.status !== 'completed') return
  const [missing] = missingIn(ownState(plan), values)
  if (missing === undefined) return
  throw undecided(mover, step, `The workflow cannot end without a value of ${missing}.`)
}

function undecided(mover: Mover, step: Step, reason: string) {
  const { effort } = mover
  const [way] = waysOn(effort.id, mover, step)
  const hint = way?.command ?? showCommand(effort.id)
  const message = [reason, ...remarksOn([hint])].join(' ')
  return refusedStep(effort, { step: step.id, rule: 'plan', reason, message, field: 'set', hint })
}

/** Refuses to start the first step of a workflow that was not given what it needs. */
export function checkBeginning(mover: Mover): void {
  const { plan, progress } = mover
  if (isPrinted(plan) && Object.keys(progress.visits).length === 0) checkParams(mover)
}

/** Refuses values for the start of a workflow that are missing or do not fit, with the whole command. */
export function checkParams({ effort, plan, values }: Mover, given: Values = {}): void {
  const { params = {} } = plan
  const known = Object.fromEntries(Object.keys(params).map((name) => [name, values[name] ?? '']))
  const all = { ...known, ...given }
  const set = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
  const [missing = ''] = missingIn(params, all)
  const [fault] = [
    ...faultsIn(params, set),
    ...(missing === '' ? [] : [missingText(missing, params[missing])]),
  ]
  if (fault === undefined) return
  const hint = startingCommand(effort.skill, params, all)
  throw new EngineError('invalid', [fault, ...remarksOn([hint])].join(' '), { field: 'params', hint })
}

const missingText = (name: string, { description = '' }: Partial<Field> = {}): string =>
  `${name} is required${description === '' ? '.' : `: ${description}`}`
