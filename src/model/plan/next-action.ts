import { advance, awaited, type Progress, type Visit } from './advance.ts'
import { BLANK, isFailing, REASON, UNFILLED } from './action-words.ts'
import type { Called } from './called.ts'
import { isAdHoc, type Effort, resumeCommand } from '../effort.ts'
import { demandOf, isDemanding, proveCommand, provenIn, type Recorded } from './evidence.ts'
import { oneLine, quoted } from '../text/line.ts'
import { beginningCommand } from './fields.ts'
import { NOTHING_OWED, type Owed, owedFor, stuckAt } from './moves.ts'
import { phaseText } from './phase.ts'
import { ANY_OUTCOME, isPipeline, isPrinted, type Plan, type Step, stepOf } from './plan.ts'
import { isDeciding, type Values } from './plan-for.ts'
import { finishCommand, owedResult } from '../result.ts'
import type { ResultSchema } from '../result-schema.ts'
import { runbookCommand } from '../runbook/hand.ts'
import { shellWord } from '../shell/word.ts'
import { isCarriedOut, nextSteps } from './visit.ts'
import { startOn } from '../task.ts'

const LONGEST_LABEL = 100

type Proof = Readonly<Record<string, unknown>>

/** A command that moves an effort in its plan. */
export const stepCommand = (
  verb: 'done' | 'fail' | 'skip' | 'go',
  effortId: number,
  step: string,
  flags = '',
): string => `holdfast step ${verb} ${shellWord(oneLine(step, LONGEST_LABEL))} --effort ${effortId}${flags}`

/** The command that shows where an effort stands; it prints and starts the steps of a workflow. */
export const showCommand = (effortId: number): string => `holdfast step --effort ${effortId}`

/** A step as commands name it: its label, if no other step has it. */
export const nameOf = (plan: Plan, { id, label }: Step): string =>
  plan.steps.filter((one) => one.label === label).length === 1 ? label : id

/** The command that starts a step; phases are named in full. */
export const startCommand = (effortId: number, plan: Plan, step: Step): string =>
  stepCommand(
    'go',
    effortId,
    plan.notation === 'phases' ? phaseText({ label: step.label, name: step.title }) : nameOf(plan, step),
  )

/** True if a claim of the agent is not enough for an artifact or a field of proof. */
export const mustBeProved = (plan: Plan | undefined, name: string): boolean =>
  isDemanding(demandOf(plan?.demands, name))

/** The same command, after the commands that prove what it needs. */
function proved(effortId: number, plan: Plan | undefined, names: readonly string[], command: string): string {
  const proofs = names
    .filter((name) => mustBeProved(plan, name))
    .slice(0, MOST_PROOFS)
    .map((name) => proveCommand(effortId, name))
  return [...new Set(proofs), command].join(' && ')
}

const MOST_PROOFS = 5

/** The flag that passes claimed proof, with blanks for what is missing. */
function proofFlag(plan: Plan | undefined, missing: readonly string[], said: Proof = {}): string {
  const given = Object.entries(said).filter(([field]) => !mustBeProved(plan, field))
  const blanks = missing
    .filter((field) => !mustBeProved(plan, field))
    .map((field) => [oneLine(field), UNFILLED] as const)
  const shown = Object.fromEntries([...given, ...blanks])
  return Object.keys(shown).length === 0 ? '' : ` --proof ${shellWord(JSON.stringify(shown))}`
}

/** The command that enters a phase: first runs the required proofs, then passes the claimed fields. */
export function phaseCommand(
  effortId: number,
  phase: string,
  {
    plan,
    missing = [],
    said = {},
  }: { plan?: Plan | undefined; missing?: readonly string[]; said?: Proof } = {},
): string {
  const enter = stepCommand('go', effortId, phase, proofFlag(plan, missing, said))
  return proved(effortId, plan, missing, enter)
}

/** The command that ends a step as done, after the commands that prove what it owes. */
export function doneCommand(
  effortId: number,
  plan: Plan,
  step: Step,
  {
    owed,
    said = {},
    more = '',
  }: { readonly owed: Pick<Owed, 'artifacts' | 'proof'>; readonly said?: Proof; readonly more?: string },
): string {
  const verified = step.verify?.kind === 'shown' ? ` --verified ${BLANK}` : ''
  const flags = `${proofFlag(plan, owed.proof, said)}${verified}${more}`
  const done = stepCommand('done', effortId, nameOf(plan, step), flags)
  return proved(effortId, plan, [...owed.artifacts, ...owed.proof], done)
}

/** What to do with a step that sub-agents do; undefined for any other. */
export function toGive(plan: Plan, step: Step, visit?: Visit): string | undefined {
  const { dispatch, label, place } = step
  if (dispatch === undefined) return undefined
  const { count, join } = dispatch
  const whom = count === 1 ? 'a sub-agent; it' : `${count} sub-agents; ${join} of them`
  const how = isInFile(plan, step)
    ? `name ${oneLine(place.file)} in each prompt; each must read it`
    : `name ${quoted(calledIn(step))} in each prompt`
  return `do step ${quoted(label)}: give it to ${whom} must succeed${reportsIn(visit)} (${how})`
}

/** How many of its sub-agents have reported; nothing if none has. */
const reportsIn = ({ children }: Visit = { attempts: 0 }): string =>
  children === undefined ? '' : `, ${haveOf(children.ok)} and ${haveOf(children.fail)} failed`

const haveOf = (many: number): string => `${many} ${many === 1 ? 'has' : 'have'}`

/** The words that name a step without a file in a prompt: its title, else its label. */
export const calledIn = ({ title, label }: Step): string => (title.trim() === '' ? label : title).trim()

/** True if a step is a file of its own, which is read to start it. */
export const isInFile = ({ notation }: Pick<Plan, 'notation'>, { runs }: Step): boolean =>
  notation === 'steps' && runs === undefined

/** The started steps that wait for sub-agents, as actions. */
export const gives = (plan: Plan, progress: Progress): readonly string[] =>
  progress.current.flatMap((id) => {
    const step = stepOf(plan, id)
    return step === undefined || !isAwaiting(progress, step)
      ? []
      : (toGive(plan, step, progress.visits[id]) ?? [])
  })

const isAwaiting = ({ visits }: Progress, step: Step): boolean => awaited(step, visits[step.id]) > 0

/** The commands that end these steps, or prove what they owe; none for those that wait for sub-agents. */
export const doneCommands = (
  effortId: number,
  plan: Plan,
  progress: Progress,
  { recorded, steps = progress.current }: { readonly recorded: Recorded; readonly steps?: readonly string[] },
): readonly string[] =>
  steps.flatMap((id) => {
    const step = stepOf(plan, id)
    if (step === undefined || isAwaiting(progress, step)) return []
    const owed = owedFor(plan, progress, step, { recorded, proof: provenIn(recorded) })
    return [doneCommand(effortId, plan, step, { owed })]
  })

/** The next actions of an effort, each a command or a file to read; none if it is finished. */
export function nextActions(
  effort: Pick<Effort, 'id' | 'skill' | 'current_phase' | 'lifecycle' | 'ordinal' | 'task_id' | 'result'>,
  work: {
    readonly plan: Plan | undefined
    readonly progress: Progress
    readonly recorded: Recorded
    /** Steps that the user approved once against the plan. */
    readonly approved?: readonly string[]
    /** The skill that the current step of a pipeline has called. */
    readonly called?: Called | undefined
    readonly resultSchema?: ResultSchema | undefined
    /** The values of its variables, where they are known. */
    readonly values?: Values
  },
): readonly string[] {
  const { plan, progress, recorded, approved = [], called, values } = work
  if (effort.lifecycle === 'finished') return []
  if (isAdHoc(effort)) return [startOn(effort.task_id)]
  // Without a plan, only the agent knows when the work is done.
  if (plan === undefined) return [`holdfast recap --effort ${effort.id}`]
  if (progress.status === 'parked') return parkedActions(effort.id, plan, progress, approved)
  const found =
    progress.status === 'completed'
      ? []
      : [
          ...new Set([
            ...(calledActions(effort.id, plan, progress, called) ??
              actionsOf(effort, plan, progress, { recorded, values })),
            ...failingAgain(effort.id, plan, progress),
          ]),
        ]
  // Optional steps may be left when all others are done.
  const left = progress.status === 'completed' ? optionalActions(effort.id, plan, progress.open) : []
  const optional = optionalAmong(found, effort.id, { plan })
  return found.length === 0
    ? [finishCommand(effort.id, owedResult(work, effort)), ...left]
    : [...found.filter((action) => !optional.includes(action)), ...optional]
}

/** What follows the call of a skill: going on with it, or reporting its step; undefined if it is to be called. */
function calledActions(
  id: number,
  plan: Plan,
  { current }: Progress,
  called: Called | undefined,
): readonly string[] | undefined {
  if (called?.state === 'open') return [resumeCommand({ id: called.effort_id })]
  const step = plan.steps.find((one) => current.includes(one.id))
  const isOver = called?.state === 'finished' && step !== undefined
  return isOver ? [doneCommand(id, plan, step, { owed: NOTHING_OWED })] : undefined
}

/** A step that failed before may fail again; a pipeline says so where it offers the step. */
const failingAgain = (id: number, plan: Plan, { current, visits }: Progress): readonly string[] =>
  isPipeline(plan) || plan.runbook !== undefined
    ? []
    : plan.steps
        .filter((step) => current.includes(step.id) && visits[step.id]?.failed !== undefined)
        .map((step) => stepCommand('fail', id, nameOf(plan, step), REASON))

/** Those of some actions that do or leave out optional steps, so that nobody takes them for the way on, if there is another. */
export function optionalAmong(
  actions: readonly string[],
  id: number,
  { plan }: { readonly plan: Plan | undefined },
): readonly string[] {
  const found = actions.filter((action) =>
    plan?.steps.some(
      (step) =>
        step.optional &&
        (action === startAction(id, plan, step) ||
          action === stepCommand('skip', id, nameOf(plan, step)) ||
          action.split(' && ').some((one) => one.startsWith(startCommand(id, plan, step)))),
    ),
  )
  return actions.some((action) => !found.includes(action) && !isFailing(action)) ? found : []
}

/** The ways to do and to leave out optional steps. */
function optionalActions(id: number, plan: Plan, open: readonly string[]): readonly string[] {
  const steps = plan.steps.filter((step) => open.includes(step.id) && step.optional).slice(0, MOST_OPTIONAL)
  return steps.flatMap((step) => [startAction(id, plan, step), stepCommand('skip', id, nameOf(plan, step))])
}

const MOST_OPTIONAL = 3

/** What starts a step: a file is read, and any other step is entered. */
const startAction = (id: number, plan: Plan, step: Step): string =>
  isInFile(plan, step)
    ? (toGive(plan, step) ?? `read ${shellWord(step.place.file)}`)
    : startCommand(id, plan, step)

/** What a running plan needs next. */
function actionsOf(
  effort: Pick<Effort, 'id' | 'skill'>,
  plan: Plan,
  progress: Progress,
  { recorded, values }: { readonly recorded: Recorded; readonly values: Values | undefined },
): readonly string[] {
  if (isPrinted(plan)) return [beginningCommand(effort, plan, progress, values) ?? showCommand(effort.id)]
  if (plan.runbook !== undefined) return [runbookCommand('next', effort.id)]
  if (plan.notation === 'phases') return phaseActions(effort.id, plan, progress, recorded)
  if (plan.notation === 'steps' && !isPipeline(plan)) return stepActions(effort.id, plan, progress, recorded)
  if (progress.current.length > 0)
    // A pipeline says how its step is reported where it offers the step.
    return isPipeline(plan)
      ? [showCommand(effort.id)]
      : [
          ...gives(plan, progress),
          ...doneCommands(effort.id, plan, progress, { recorded }),
          ...otherOutcomes(effort.id, plan, progress),
        ]
  return progress.open.slice(0, isPipeline(plan) ? 1 : MOST_CHOICES).flatMap((one) => {
    const step = stepOf(plan, one)
    return step === undefined ? [] : [stepCommand('go', effort.id, nameOf(plan, step))]
  })
}

const MOST_CHOICES = 20

/** Entering the next phase leaves the current one; the last one ends by itself. */
function phaseActions(id: number, plan: Plan, progress: Progress, recorded: Recorded): readonly string[] {
  const missing = progress.current.flatMap((label) => {
    const step = stepOf(plan, label)
    return step === undefined
      ? []
      : owedFor(plan, progress, step, { recorded, proof: provenIn(recorded) }).proof
  })
  const entering = afterSuccess(plan, progress).map((step) =>
    phaseCommand(id, phaseText({ label: step.label, name: step.title }), { plan, missing }),
  )
  const isLast = progress.current.some((label) => mayFinish(plan, label))
  const isDecided = !isDeciding(plan, missing)
  return [
    ...gives(plan, progress),
    ...(isLast || !isDecided ? doneCommands(id, plan, progress, { recorded }) : []),
    ...(isDecided ? entering : []),
    ...(isLast ? skips(id, plan, progress) : []),
    ...otherOutcomes(id, plan, progress),
  ]
}

/** The phases that may be entered once the current one has ended well. */
function afterSuccess(plan: Plan, progress: Progress): readonly Step[] {
  const { current, open } = progress
  const next = current.flatMap((step) => {
    const left = advance(plan, progress, { kind: 'leave', step, outcome: 'ok' })
    return left.ok ? left.progress.open : []
  })
  return [...new Set(current.length === 0 ? open : next)].flatMap((one) => stepOf(plan, one) ?? [])
}

/** The commands that end the started steps otherwise, by the outcomes that the plan has a way for. */
const otherOutcomes = (id: number, plan: Plan, progress: Progress): readonly string[] =>
  progress.current.flatMap((one) => {
    const step = stepOf(plan, one)
    return Object.keys(step?.next ?? {}).flatMap((outcome) => {
      if (step === undefined || ['ok', 'skip', ANY_OUTCOME].includes(outcome)) return []
      const left = advance(plan, progress, { kind: 'leave', step: one, outcome })
      if (!left.ok || left.progress.status === 'parked') return []
      return outcome === 'fail'
        ? [stepCommand('fail', id, nameOf(plan, step), REASON)]
        : [stepCommand('done', id, nameOf(plan, step), ` --outcome ${shellWord(outcome)}`)]
    })
  })

/** The commands that leave out the optional phases after the current one. */
const skips = (id: number, plan: Plan, { current }: Progress): readonly string[] =>
  current
    .flatMap((label) => stepOf(plan, label)?.next?.['ok'] ?? [])
    .flatMap((label) => stepOf(plan, label) ?? [])
    .slice(0, MOST_OPTIONAL)
    .map((step) => stepCommand('skip', id, nameOf(plan, step)))

/** True if success in a phase may end the plan. */
function mayFinish(plan: Plan, label: string): boolean {
  const targets = stepOf(plan, label)?.next?.['ok'] ?? []
  return targets.every((id) => stepOf(plan, id)?.optional === true)
}

/** A parked plan continues only with the user's approval, and one that nobody used is the way on; none if it is not parked. */
export function parkedActions(
  id: number,
  plan: Plan,
  progress: Progress,
  approved: readonly string[] = [],
): readonly string[] {
  if (progress.status !== 'parked') return []
  const allowed = plan.steps.filter((step) => approved.includes(step.id))
  if (allowed.length > 0 && isPrinted(plan)) return [showCommand(id)]
  return allowed.length > 0
    ? allowed.map((step) => startCommand(id, plan, step))
    : stuckAt(plan, progress).map(
        (step) => `holdfast effort approve ${id} ${shellWord(nameOf(plan, step))}${REASON}`,
      )
}

/** Started steps end before another one starts. */
function stepActions(id: number, plan: Plan, progress: Progress, recorded: Recorded): readonly string[] {
  const owing = progress.current.filter((one) => {
    const step = stepOf(plan, one)
    if (step === undefined) return false
    const { artifacts, proof } = owedFor(plan, progress, step, { recorded, proof: provenIn(recorded) })
    return artifacts.length + proof.length > 0
  })
  const given = gives(plan, progress)
  const others = otherOutcomes(id, plan, progress)
  if (owing.length > 0)
    return [...given, ...doneCommands(id, plan, progress, { recorded, steps: owing }), ...others]
  const next = nextSteps(plan, progress, recorded)
  const done = [...given, ...doneCommands(id, plan, progress, { recorded }), ...others]
  if (next.length === 0) return done
  // An optional step must not hide the end.
  if (isCarriedOut(plan, progress, recorded)) return [...done, ...optionalActions(id, plan, next)]
  const starts = next.map((one) => {
    const step = stepOf(plan, one)
    return (step && toGive(plan, step)) ?? `read ${shellWord(step?.place.file ?? one)}`
  })
  return [...given, ...starts, ...others]
}
