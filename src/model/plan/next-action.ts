import type { Progress } from './advance.ts'
import { isAdHoc, type Effort } from '../effort.ts'
import { demandOf, isDemanding, recordCommands, type Recorded } from './evidence.ts'
import { oneLine } from '../text/line.ts'
import { nextPhases, proofToLeave } from './phase.ts'
import { isPipeline, type Plan, stepOf } from './plan.ts'
import { shellWord } from '../shell/word.ts'
import { nextSteps, owedBy } from './visit.ts'

/** A blank to fill in; it does not pass as proof. */
const UNFILLED = '____'
const LONGEST_PHASE = 100

/** What to do before these commands can run, as a sentence; none if they have no blank. */
export const fillIn = (commands: readonly string[]): readonly string[] =>
  commands.some((command) => command.includes(UNFILLED)) ? [`Replace ${UNFILLED} with what shows it.`] : []

type Proof = Readonly<Record<string, unknown>>
type InPhase = Pick<Effort, 'id' | 'current_phase'>

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
  const proving = missing.filter((field) => mustBeProved(plan, field))
  const given = Object.entries(said).filter(([field]) => !mustBeProved(plan, field))
  const form = missing
    .filter((field) => !mustBeProved(plan, field))
    .map((field) => [oneLine(field), UNFILLED] as const)
  const shown = Object.fromEntries([...given, ...form])
  const flag = Object.keys(shown).length === 0 ? '' : ` --proof ${shellWord(JSON.stringify(shown))}`
  const enter = `holdfast effort phase ${effortId} ${shellWord(oneLine(phase, LONGEST_PHASE))}${flag}`
  return proving.length === 0 ? enter : `${recordCommands(effortId, plan?.demands, proving)} && ${enter}`
}

/** True if a claim of the agent is not enough for a field of proof. */
export const mustBeProved = (plan: Plan | undefined, field: string): boolean =>
  isDemanding(demandOf(plan?.demands, field))

/** The commands that enter the next phases; none after the last phase. */
export function phaseCommands(
  { id, current_phase: current }: InPhase,
  plan: Plan,
  missing: readonly string[],
): readonly string[] {
  return nextPhases(plan, current).map((phase) => phaseCommand(id, phase, { plan, missing }))
}

/** The next actions of an effort, each a command or a file to read; none if it is finished. */
export function nextActions(
  effort: InPhase & Pick<Effort, 'lifecycle' | 'ordinal' | 'task_id'>,
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
    plan.notation === 'phases'
      ? phaseActions(effort, plan, recorded)
      : isPipeline(plan)
        ? pipelineActions(effort.id, plan, progress)
        : stepActions(effort.id, plan, progress, recorded)
  return found.length === 0 ? [`holdfast effort finish ${effort.id}`] : found
}

const phaseActions = (effort: InPhase, plan: Plan, { good }: Recorded): readonly string[] =>
  phaseCommands(
    effort,
    plan,
    proofToLeave(plan, effort.current_phase).filter(
      (field) => !(mustBeProved(plan, field) && good.has(field)),
    ),
  )

/** A blocked pipeline continues only with the user's approval. */
const pipelineActions = (id: number, plan: Plan, { status, visits }: Progress): readonly string[] =>
  status === 'running'
    ? [`holdfast pipeline next ${id}`]
    : plan.steps
        .filter((step) => visits[step.id]?.outcome === 'fail')
        .map((step) => `holdfast effort approve ${id} ${shellWord(step.id)} --reason WHY`)

/** Started steps are recorded before another one starts. */
function stepActions(id: number, plan: Plan, progress: Progress, recorded: Recorded): readonly string[] {
  const owed = owedBy(plan, progress, recorded)
  if (owed.length > 0) return [recordCommands(id, plan.demands, owed)]
  return nextSteps(plan, progress, recorded).map(
    (step) => `read ${shellWord(stepOf(plan, step)?.place.file ?? step)}`,
  )
}
