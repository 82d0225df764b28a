import { awaited, type Progress } from './advance.ts'
import { isAdHoc, type Effort } from '../effort.ts'
import { demandOf, isDemanding, proveCommand, type Recorded } from './evidence.ts'
import { oneLine, quoted } from '../text/line.ts'
import { type Owed, owedFor } from './moves.ts'
import { splitPhase } from './phase.ts'
import { nextPhases } from './phase-judge.ts'
import { isPipeline, type Plan, type Step, stepOf } from './plan.ts'
import { shellWord } from '../shell/word.ts'
import { nextSteps } from './visit.ts'

/** A blank to fill in; it does not pass as proof. */
const UNFILLED = '____'

/** A blank as a word of a command; a sentence may take its place. */
export const BLANK = `'${UNFILLED}'`
const LONGEST_LABEL = 100

/** What to do before these commands can run, as a sentence; none if they have no blank. */
export const fillIn = (commands: readonly string[]): readonly string[] =>
  commands.some((command) => command.includes(UNFILLED)) ? [`Replace ${UNFILLED} with what shows it.`] : []

type Proof = Readonly<Record<string, unknown>>

/** A command that moves an effort in its plan. */
export const stepCommand = (
  verb: 'done' | 'fail' | 'skip' | 'go',
  effortId: number,
  step: string,
  flags = '',
): string => `holdfast step ${verb} ${shellWord(oneLine(step, LONGEST_LABEL))} --effort ${effortId}${flags}`

/** A step as commands name it: its label, if no other step has it. */
export const nameOf = (plan: Plan, { id, label }: Step): string =>
  plan.steps.filter((one) => one.label === label).length === 1 ? label : id

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
  { owed, said = {} }: { readonly owed: Pick<Owed, 'artifacts' | 'proof'>; readonly said?: Proof },
): string {
  const verified = step.verify?.kind === 'shown' ? ` --verified ${BLANK}` : ''
  const flags = `${proofFlag(plan, owed.proof, said)}${verified}`
  const done = stepCommand('done', effortId, nameOf(plan, step), flags)
  return proved(effortId, plan, [...owed.artifacts, ...owed.proof], done)
}

/** What to do with a step that sub-agents do; undefined for any other. */
export function toGive(plan: Plan, step: Step): string | undefined {
  const { dispatch, label, title, place } = step
  if (dispatch === undefined) return undefined
  const { count, join } = dispatch
  const whom = count === 1 ? 'a sub-agent; it' : `${count} sub-agents; ${join} of them`
  const name = isInFile(plan, step) ? oneLine(place.file) : quoted(title)
  return `do step ${quoted(label)}: give it to ${whom} must succeed (name ${name} in each prompt)`
}

/** True if a step is a file of its own, which is read to start it. */
export const isInFile = ({ notation }: Plan, { runs }: Step): boolean =>
  notation === 'steps' && runs === undefined

/** The started steps that wait for sub-agents, as actions. */
export const gives = (plan: Plan, progress: Progress): readonly string[] =>
  progress.current.flatMap((id) => {
    const step = stepOf(plan, id)
    return step === undefined || !isAwaiting(progress, step) ? [] : (toGive(plan, step) ?? [])
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

/** Recorded evidence counts as proof of the fields that it has the names of. */
export const provenIn = ({ good }: Recorded): Proof =>
  Object.fromEntries([...good].map((name) => [name, true]))

/** The next actions of an effort, each a command or a file to read; none if it is finished. */
export function nextActions(
  effort: Pick<Effort, 'id' | 'current_phase' | 'lifecycle' | 'ordinal' | 'task_id'>,
  work: {
    readonly plan: Plan | undefined
    readonly progress: Progress
    readonly recorded: Recorded
  },
): readonly string[] {
  const { plan, progress, recorded } = work
  if (effort.lifecycle === 'finished') return []
  if (isAdHoc(effort)) return [`holdfast effort start ${shellWord(effort.task_id)} SKILL`]
  // Without a plan, only the agent knows when the work is done.
  if (plan === undefined) return [`holdfast recap --effort ${effort.id}`]
  const found =
    progress.status === 'parked'
      ? parkedActions(effort.id, plan, progress)
      : actionsOf(effort.id, plan, progress, recorded)
  return found.length === 0 ? [`holdfast effort finish ${effort.id}`] : found
}

/** What a running plan needs next. */
function actionsOf(id: number, plan: Plan, progress: Progress, recorded: Recorded): readonly string[] {
  if (plan.notation === 'phases') return phaseActions(id, plan, progress, recorded)
  if (plan.notation === 'steps' && !isPipeline(plan)) return stepActions(id, plan, progress, recorded)
  if (progress.current.length > 0)
    // A pipeline says how its step is reported where it offers the step.
    return isPipeline(plan)
      ? [`holdfast step --effort ${id}`]
      : [...gives(plan, progress), ...doneCommands(id, plan, progress, { recorded })]
  if (progress.status === 'completed') return []
  return progress.open.slice(0, isPipeline(plan) ? 1 : MOST_CHOICES).flatMap((one) => {
    const step = stepOf(plan, one)
    return step === undefined ? [] : [stepCommand('go', id, nameOf(plan, step))]
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
  const entering = nextPhases(plan, progress).map((phase) => {
    const isLoop = isLoopTo(plan, progress, splitPhase(phase).label)
    return phaseCommand(id, phase, { plan, missing: isLoop ? [] : missing })
  })
  const isLast = progress.current.some((label) => mayFinish(plan, label))
  return [
    ...gives(plan, progress),
    ...(isLast ? doneCommands(id, plan, progress, { recorded }) : []),
    ...entering,
  ]
}

/** True if only another outcome than success leads to a phase, which needs no proof. */
const isLoopTo = (plan: Plan, { current }: Progress, label: string): boolean =>
  current.some((id) => stepOf(plan, id)?.next?.['ok']?.includes(label) === false)

/** True if success in a phase may end the plan. */
function mayFinish(plan: Plan, label: string): boolean {
  const targets = stepOf(plan, label)?.next?.['ok'] ?? []
  return targets.every((id) => stepOf(plan, id)?.optional === true)
}

/** A blocked plan continues only with the user's approval; none if it is not blocked. */
export const parkedActions = (id: number, plan: Plan, { status, visits }: Progress): readonly string[] =>
  (status === 'parked' ? plan.steps : [])
    .filter(({ id: one, limit = Infinity }) => {
      const { attempts, outcome } = visits[one] ?? { attempts: 0, outcome: undefined }
      return attempts >= limit || !['ok', 'skip', undefined].includes(outcome)
    })
    .map((step) => `holdfast effort approve ${id} ${shellWord(nameOf(plan, step))} --reason ${BLANK}`)

/** Started steps end before another one starts. */
function stepActions(id: number, plan: Plan, progress: Progress, recorded: Recorded): readonly string[] {
  const owing = progress.current.filter((one) => {
    const step = stepOf(plan, one)
    if (step === undefined) return false
    const { artifacts, proof } = owedFor(plan, progress, step, { recorded, proof: provenIn(recorded) })
    return artifacts.length + proof.length > 0
  })
  const given = gives(plan, progress)
  if (owing.length > 0) return [...given, ...doneCommands(id, plan, progress, { recorded, steps: owing })]
  const next = nextSteps(plan, progress, recorded)
  if (next.length === 0) return [...given, ...doneCommands(id, plan, progress, { recorded })]
  const starts = next.map((one) => {
    const step = stepOf(plan, one)
    return (step && toGive(plan, step)) ?? `read ${shellWord(step?.place.file ?? one)}`
  })
  return [...given, ...starts]
}
