import { begin, type Progress } from '../../model/plan/advance.ts'
import { checklistOf } from '../../model/checklist.ts'
import { type Effort, isTracked, wordsOf } from '../../model/effort.ts'
import { inOneLine, listed, oneLine, quoted } from '../../model/text/line.ts'
import { owedFor } from '../../model/plan/moves.ts'
import {
  doneCommands,
  fillIn,
  gives,
  isFailing,
  nameOf,
  nextActions,
  startCommand,
  stepCommand,
  toGive,
} from '../../model/plan/next-action.ts'
import { phasesIn, proofToLeave } from '../../model/plan/phase.ts'
import { nextPhases } from '../../model/plan/phase-judge.ts'
import { stepStates } from '../../model/plan/pipeline.ts'
import { isPipeline, type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { shellWord } from '../../model/shell/word.ts'
import { isCarriedOut, nextSteps } from '../../model/plan/visit.ts'
import type { SkillFacts } from '../facts.ts'
import { currentPhase, NO_PHASE, NO_STEP_LEFT, PROOF, STARTED, stepToDo, TODOS, tracking } from './words.ts'

/** Clients cut long texts at the end, so the next action comes first and lists stay short. */
const ROOM = 1200
const MOST_NEXT = 3
const LONGEST_REASON = 500
const LONGEST_WORDS = 200

/** The state of a skill's work, with the exact next action. */
export function standing(skill: SkillFacts): readonly string[] {
  const { plan, effort, name } = skill
  if (effort === undefined) return []
  const words = inOneLine(wordsOf(effort), LONGEST_WORDS)
  const asked = words === '' ? '' : `, "${words}",`
  const head = `${tracking(effort.id, name)}${asked} in ${oneLine(effort.task_id)}.`
  return [[head, ...linesOf(skill, plan, effort)].join('\n')]
}

function linesOf(skill: SkillFacts, plan: Plan | undefined, effort: Effort): readonly string[] {
  if (plan === undefined) return isTracked(skill) ? withoutSteps(skill, effort) : withoutPlan(effort)
  // A pipeline hands out its steps one by one and requires nothing else.
  if (isPipeline(plan)) return pipelineLines(skill, plan, effort)
  const lines = plan.notation === 'phases' ? phaseLines(skill, plan, effort) : stepLines(skill, plan, effort)
  return [...lines, ...todoLines(skill, plan, effort)]
}

/** A skill can require todos or log entries without prescribing steps. */
const withoutSteps = (skill: SkillFacts, effort: Effort): readonly string[] => [
  `This skill has no steps. When the work is done, run: holdfast effort finish ${effort.id}`,
  ...(effort.current_phase === null ? [] : [currentPhase(effort.current_phase)]),
  ...todoLines(skill, undefined, effort),
]

/** The plan may be gone since the effort started, or was never in a file. */
const withoutPlan = ({ id, current_phase: current }: Effort): readonly string[] => [
  `The skill files contain no plan now. For the state of the effort, run: holdfast effort show ${id}`,
  ...(current === null ? [] : [currentPhase(current)]),
]

function pipelineLines(skill: SkillFacts, plan: Plan, effort: Effort): readonly string[] {
  const { recorded, approved } = skill
  const now = skill.progress ?? begin(plan)
  const steps = stepStates(plan, now).map(({ step, state }) => `${step.label} (${state})`)
  const actions = nextActions(effort, { plan, progress: now, recorded, approved })
    .slice(0, MOST_NEXT)
    .map((action) => oneLine(action))
    .join(' or ')
  return [
    now.reason === undefined ? `Next: run ${actions}` : `${blockedBy(now, skill)}: ${actions}`,
    ...namesLine('Steps, in order', steps),
  ]
}

/** Why a parked plan stands still, before the commands that only the user may run, or that the user has allowed. */
const blockedBy = ({ reason = '' }: Progress, { approved }: SkillFacts): string =>
  `Blocked: ${oneLine(reason, LONGEST_REASON)} ${approved.length === 0 ? 'Only the user can unblock it' : 'The user approved a way on'}`

function stepLines(skill: SkillFacts, plan: Plan, work: Effort): readonly string[] {
  const { progress, enforceable, recorded, approved } = skill
  const { id: effort } = work
  const now = progress ?? begin(plan)
  const actions =
    now.status === 'parked' ? nextActions(work, { plan, progress: now, recorded, approved }) : []
  const parked = actions.slice(0, MOST_NEXT)
  const labelsOf = (ids: readonly string[]) => ids.map((id) => stepOf(plan, id)?.label ?? id)
  const done = Object.keys(now.visits).filter((id) => !now.current.includes(id))
  const isFiles = plan.notation === 'steps'
  const open = new Set(isFiles ? nextSteps(plan, now, recorded) : now.open)
  const owing = now.current.filter((id) => owedNow(plan, now, id, recorded).length > 0)
  const next = plan.steps.filter(({ id }) => open.has(id)).slice(0, MOST_NEXT)
  const isOver = now.status === 'completed' && next.length > 0
  const mayEnd = isOver || isCarriedOut(plan, now, recorded)
  const isLast = next.length === 0 || !isFiles || mayEnd
  const ending = doneCommands(effort, plan, now, { recorded, steps: isLast ? now.current : owing })
  const given = gives(plan, now)
  const gates = enforceable && isFiles && next.length > 0
  return [
    ...(isOver ? [requiredDone(effort)] : []),
    ...(ending.length === 0 ? [] : [`To complete the started steps, run: ${ending.join(' && ')}`]),
    ...fillIn(ending),
    ...given.map((one) => `Next: ${one}.`),
    ...(next.length === 0 ? [] : [`Next: ${next.map((step) => toDo(effort, plan, step)).join(' or ')}.`]),
    ...(mayEnd ? next.map((step) => leaveOut(effort, plan, step)) : []),
    ...(parked.length === 0 ? [] : [`${blockedBy(now, skill)}: ${parked.join(' or ')}`, ...fillIn(parked)]),
    ...(!isOver && [next, ending, given, parked].every(({ length }) => length === 0)
      ? [`${NO_STEP_LEFT} Run: holdfast effort finish ${effort}`]
      : []),
    ...(gates ? ['Reading a step before its inputs exist is refused.'] : []),
    ...namesLine(STARTED, labelsOf(now.current)),
    ...namesLine('Done', labelsOf(done)),
    ...namesLine(
      'Steps',
      plan.steps.map(({ label, optional }) => named(label, optional)),
    ),
  ]
}

/** An optional step must not hide the end. */
const requiredDone = (effort: number): string =>
  `Every required step is done. Run: holdfast effort finish ${effort}`

const leaveOut = (effort: number, plan: Plan, step: Step): string =>
  `To leave out ${quoted(step.label)}, run: ${stepCommand('skip', effort, nameOf(plan, step))}`

/** Reading starts a step in a file; any other step is entered, done and then reported. */
function toDo(effort: number, plan: Plan, step: Step): string {
  const given = toGive(plan, step)
  if (given !== undefined) return given
  const what = stepToDo(step.label, step.place.file, step.optional)
  if (plan.notation === 'steps') return what
  return `run ${startCommand(effort, plan, step)}, then ${what}`
}

const owedNow = (plan: Plan, now: Progress, id: string, recorded: SkillFacts['recorded']) => {
  const step = stepOf(plan, id)
  return step === undefined ? [] : owedFor(plan, now, step, { recorded, proof: {} }).artifacts
}

/** Shows our checklist, because a client may have no todo list or a different one. */
function todoLines(
  { requiredTodos, marks }: SkillFacts,
  plan: Plan | undefined,
  { id }: Effort,
): readonly string[] {
  // Without explicit todos, the phases are the todos, and are shown already.
  const phases = new Set(plan === undefined ? [] : phasesIn(plan).map((phase) => phase.name))
  const asked = requiredTodos.filter((text) => !phases.has(text))
  const items = checklistOf(asked, marks)
  const names = items.map(({ text, done }) => (done ? `${oneLine(text)} (done)` : text))
  const open = items.find(({ done }) => !done)
  return [
    ...namesLine(TODOS, names),
    ...(open === undefined
      ? []
      : [`To tick one: holdfast effort tick ${id} ${shellWord(oneLine(open.text, LONGEST_TODO))}`]),
  ]
}

const LONGEST_TODO = 200

const named = (label: string, optional: boolean): string =>
  optional ? `${oneLine(label)} (optional)` : oneLine(label)

const namesLine = (what: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`${what}: ${listed(names, ROOM)}.`]

function phaseLines(skill: SkillFacts, plan: Plan, effort: Effort): readonly string[] {
  const { recorded, progress, approved } = skill
  const { current_phase: current } = effort
  const now = progress ?? begin(plan)
  const isOver = now.status === 'completed'
  const proof = proofToLeave(plan, current)
  const given = gives(plan, now)
  const commands = nextActions(effort, { plan, progress: now, recorded, approved })
    .filter((action) => !given.includes(action))
    .slice(0, MOST_NEXT)
  const what =
    now.status === 'parked'
      ? blockedBy(now, skill)
      : nextPhases(plan, now).length === 0
        ? 'This is the last phase. When the work is done, run'
        : isOver
          ? 'Or run'
          : 'To go on, run'
  const [, ...others] = commands
  const told = isOver ? others : commands
  const [failing, ways] = [told.filter(isFailing), told.filter((action) => !isFailing(action))]
  return [
    current === null ? NO_PHASE : currentPhase(current),
    ...(isOver ? [requiredDone(effort.id)] : []),
    ...(proof.length === 0 ? [] : [`${PROOF}: ${listed(proof, ROOM)}.`]),
    ...given.map((one) => `Next: ${one}.`),
    ...(ways.length === 0 ? [] : [`${what}: ${ways.join(' or ')}`]),
    ...(failing.length === 0 ? [] : [`If it fails, run: ${failing.join(' or ')}`]),
    ...fillIn(told),
    ...namesLine(
      'Phases',
      phasesIn(plan).map((phase) => `${phase.label} ${phase.name}`),
    ),
  ]
}
