import { begin, type Progress } from '../../model/plan/advance.ts'
import { checklistOf } from '../../model/checklist.ts'
import { type Effort, isTracked, wordsOf } from '../../model/effort.ts'
import { fillIn, isFailing, isOtherOutcome, isSkip } from '../../model/plan/action-words.ts'
import { calledText } from '../../model/plan/called.ts'
import { failureTexts } from '../../model/plan/failure.ts'
import { isDone } from '../../model/plan/inputs.ts'
import { inOneLine, listed, oneLine, quoted } from '../../model/text/line.ts'
import { owedFor } from '../../model/plan/moves.ts'
import {
  doneCommands,
  gives,
  nameOf,
  nextActions,
  optionalAmong,
  startCommand,
  stepCommand,
  toGive,
} from '../../model/plan/next-action.ts'
import { phasesIn, proofToLeave } from '../../model/plan/phase.ts'
import { nextPhases } from '../../model/plan/phase-judge.ts'
import { stepStates } from '../../model/plan/pipeline.ts'
import { progressText } from '../../model/plan/progress-text.ts'
import { isPipeline, isPrinted, type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { finishCommand, owedResult } from '../../model/result.ts'
import { shellWord } from '../../model/shell/word.ts'
import { isCarriedOut, nextSteps } from '../../model/plan/visit.ts'
import type { SkillFacts } from '../facts.ts'
import { inWords } from './next-action.ts'
import {
  currentPhase,
  NO_PHASE,
  NO_STEP_LEFT,
  PRINTS_STEP,
  PROOF,
  STARTED,
  stepToDo,
  TODOS,
  tracking,
} from './words.ts'

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
  const failed = failureTexts(plan, skill.progress ?? begin(plan))
  // A pipeline hands out its steps one by one and requires nothing else.
  if (isPipeline(plan)) return [...failed, ...pipelineLines(skill, plan, effort)]
  if (plan.runbook !== undefined) return [...failed, ...runbookLines(skill, plan, effort)]
  if (isPrinted(plan))
    return [...failed, ...printedLines(skill, plan, effort), ...todoLines(skill, plan, effort)]
  const lines = plan.notation === 'phases' ? phaseLines(skill, plan, effort) : stepLines(skill, plan, effort)
  return [...failed, ...lines, ...todoLines(skill, plan, effort)]
}

/** A skill can require todos or log entries without prescribing steps. */
const withoutSteps = (skill: SkillFacts, effort: Effort): readonly string[] => [
  `This skill has no steps. When the work is done, run: ${finishingOf(skill, effort)}`,
  ...fillIn([finishingOf(skill, effort)]),
  ...(effort.current_phase === null ? [] : [currentPhase(effort.current_phase)]),
  ...todoLines(skill, undefined, effort),
]

/** The plan may be gone since the effort started, or was never in a file. */
const withoutPlan = ({ id, current_phase: current }: Effort): readonly string[] => [
  `The skill files contain no plan now. For the state of the effort, run: holdfast effort show ${id}`,
  ...(current === null ? [] : [currentPhase(current)]),
]

/** What a step of a workflow says, and what ends it, is printed by one command. */
function printedLines(skill: SkillFacts, plan: Plan, effort: Effort): readonly string[] {
  const now = skill.progress ?? begin(plan)
  const { ways } = waysOn(skill, plan, effort)
  const isOver = now.status === 'completed'
  const steps = stepStates(plan, now).map(({ step, state }) => `${step.label} (${state})`)
  return [
    ...overLines(skill, plan, effort, isOver),
    ...(isOver || ways.length === 0 ? [] : [pipelineWay(ways, now, skill)]),
    ...(now.status === 'running' ? [PRINTS_STEP] : []),
    ...(isOver ? [] : fillIn(ways)),
    ...namesLine('Steps, in order', steps),
  ]
}

/** A runbook may have hundreds of steps, and its orchestrator is to know one. */
function runbookLines(skill: SkillFacts, plan: Plan, effort: Effort): readonly string[] {
  const now = skill.progress ?? begin(plan)
  const { ways } = waysOn(skill, plan, effort)
  const isOver = now.status === 'completed'
  return [
    ...overLines(skill, plan, effort, isOver),
    ...(isOver || ways.length === 0 ? [] : [pipelineWay(ways, now, skill), ...fillIn(ways)]),
    `Runbook ${quoted(plan.runbook?.name ?? '')}: ${progressText(plan, now)}.`,
  ]
}

function pipelineLines(skill: SkillFacts, plan: Plan, effort: Effort): readonly string[] {
  const now = skill.progress ?? begin(plan)
  const steps = stepStates(plan, now).map(({ step, state }) => `${step.label} (${state})`)
  const { ways, beside } = waysOn(skill, plan, effort)
  const isOver = now.status === 'completed'
  return [
    ...(skill.called === undefined ? [] : [calledText(skill.called)]),
    ...overLines(skill, plan, effort, isOver),
    ...(isOver || ways.length === 0 ? [] : [pipelineWay(ways, now, skill)]),
    ...beside,
    ...namesLine('Steps, in order', steps),
  ]
}

const pipelineWay = (ways: readonly string[], now: Progress, skill: SkillFacts): string =>
  now.reason === undefined
    ? `Next: run ${ways.join(' or ')}`
    : `${parkedBy(now, skill)}: ${ways.join(' or ')}`

/** The ways on, and the lines for what else is possible: optional steps, leaving them out, and failing. */
function waysOn(skill: SkillFacts, plan: Plan, effort: Effort) {
  const progress = skill.progress ?? begin(plan)
  const given = gives(plan, progress)
  const actions = nextActions(effort, { ...skill, plan, progress }).filter(
    (action) => !given.includes(action),
  )
  const optional = optionalAmong(actions, effort.id, { plan })
  const starts = optional.filter((action) => !isSkip(action))
  const skips = optional.filter(isSkip)
  const failing = actions.filter(isFailing)
  const ways = actions
    .filter((action) => !optional.includes(action) && !isFailing(action))
    .slice(0, MOST_NEXT)
    .map((action) => oneLine(action))
  const beside = [
    ...(starts.length === 0 ? [] : [`Optional: ${starts.map(inWords).join(' or ')}`]),
    ...(skips.length === 0 ? [] : [`To leave it out, run: ${skips.join(' or ')}`]),
    ...failingLine(failing),
    // The end of a plan says this of its own command.
    ...fillIn([...(progress.status === 'completed' ? [] : ways), ...starts, ...failing]),
  ]
  return { given, ways, beside }
}

/** Why a parked plan stands still, before the commands that only the user may run, or that the user has allowed. */
const parkedBy = ({ reason = '' }: Progress, { approved }: SkillFacts): string =>
  `Parked: ${oneLine(reason, LONGEST_REASON)} ${approved.length === 0 ? 'Ask the user; only the user can run' : 'The user approved a way on; run'}`

function stepLines(skill: SkillFacts, plan: Plan, work: Effort): readonly string[] {
  const { progress, enforceable, recorded, approved } = skill
  const { id: effort } = work
  const now = progress ?? begin(plan)
  const actions = nextActions(work, { plan, progress: now, recorded, approved })
  const parked = now.status === 'parked' ? actions.slice(0, MOST_NEXT) : []
  const failing = actions.filter(isFailing)
  const others = actions.filter(isOtherOutcome)
  const labelsOf = (ids: readonly string[]) => ids.map((id) => stepOf(plan, id)?.label ?? id)
  const done = Object.keys(now.visits).filter((id) => {
    const step = stepOf(plan, id)
    return step !== undefined && !now.current.includes(id) && isDone(step, now.visits)
  })
  const isFiles = plan.notation === 'steps'
  const open = new Set(isFiles ? nextSteps(plan, now, recorded) : now.open)
  const owing = now.current.filter((id) => owedNow(plan, now, id, recorded).length > 0)
  const next = plan.steps
    .filter(({ id }) => open.has(id))
    .toSorted((a, b) => Number(a.optional) - Number(b.optional))
    .slice(0, MOST_NEXT)
  const isOver = now.status === 'completed' && next.length > 0
  const mayEnd = isOver || isCarriedOut(plan, now, recorded)
  const isLast = next.length === 0 || !isFiles || mayEnd
  const ending = doneCommands(effort, plan, now, { recorded, steps: isLast ? now.current : owing })
  const given = gives(plan, now)
  const gates = enforceable && isFiles && next.length > 0
  // A context that was lost in a step does not show that the step is done.
  const finishFirst = isFiles ? startedFirst(labelsOf(now.current)) : ''
  return [
    ...overLines(skill, plan, work, isOver),
    ...(ending.length === 0 ? [] : [`To complete the started steps, run: ${ending.join(' && ')}`]),
    ...(others.length === 0 ? [] : [`For another outcome, run: ${others.join(' or ')}`]),
    ...failingLine(failing),
    ...fillIn([...ending, ...failing]),
    ...given.map((one) => `Next: ${one}.`),
    ...(next.length === 0
      ? []
      : [
          `${mayEnd ? 'Optional: ' : `Next: ${finishFirst}`}${next.map((step) => toDo(effort, plan, step, mayEnd)).join(' or ')}.`,
        ]),
    ...(mayEnd ? next.map((step) => leaveOut(effort, plan, step)) : []),
    ...(parked.length === 0 ? [] : [`${parkedBy(now, skill)}: ${parked.join(' or ')}`, ...fillIn(parked)]),
    ...(!isOver && [next, ending, given, parked].every(({ length }) => length === 0)
      ? [`${NO_STEP_LEFT} Run: ${finishing(skill, plan, work)}`, ...fillIn([finishing(skill, plan, work)])]
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

/** The started steps, before a step that would end them. */
function startedFirst(labels: readonly string[]): string {
  if (labels.length === 0) return ''
  const names = listed(
    labels.map((label) => quoted(label)),
    ROOM / 4,
  )
  return `finish ${labels.length === 1 ? 'step' : 'steps'} ${names}, then `
}

const failingLine = (failing: readonly string[]): readonly string[] =>
  failing.length === 0 ? [] : [`If it fails, run: ${failing.join(' or ')}`]

/** An optional step must not hide the end. */
const REQUIRED_DONE = 'Every required step is done.'

/** Says what ends a plan whose required steps are done. */
function overLines(skill: SkillFacts, plan: Plan, effort: Effort, isOver: boolean): readonly string[] {
  if (!isOver) return []
  const command = finishing(skill, plan, effort)
  return [`${REQUIRED_DONE} Run: ${command}`, ...fillIn([command])]
}

/** What ends a plan that is carried out: its todos first. */
function finishing(skill: SkillFacts, plan: Plan, effort: Effort): string {
  const open = todosOf(skill, plan).find(({ done }) => !done)
  return open === undefined ? finishingOf(skill, effort) : tickOf(effort.id, open.text)
}

const finishingOf = (skill: SkillFacts, effort: Effort): string =>
  finishCommand(effort.id, owedResult(skill, effort))

const leaveOut = (effort: number, plan: Plan, step: Step): string =>
  `To leave out ${quoted(step.label)}, run: ${stepCommand('skip', effort, nameOf(plan, step))}`

/** Reading starts a step in a file; any other step is entered, done and then reported. */
function toDo(effort: number, plan: Plan, step: Step, isSaid: boolean): string {
  // Reports of sub-agents start a step in a file, and count for any other only once it has started.
  const what = toGive(plan, step) ?? stepToDo(step.label, step.place.file, step.optional && !isSaid)
  if (plan.notation === 'steps') return what
  return `run ${startCommand(effort, plan, step)}, then ${what}`
}

const owedNow = (plan: Plan, now: Progress, id: string, recorded: SkillFacts['recorded']) => {
  const step = stepOf(plan, id)
  return step === undefined ? [] : owedFor(plan, now, step, { recorded, proof: {} }).artifacts
}

/** Shows our checklist, because a client may have no todo list or a different one. */
function todoLines(skill: SkillFacts, plan: Plan | undefined, { id }: Effort): readonly string[] {
  const items = todosOf(skill, plan)
  const names = items.map(({ text, done }) => (done ? `${oneLine(text)} (done)` : text))
  const open = items.find(({ done }) => !done)
  return [
    ...namesLine(TODOS, names),
    ...(open === undefined ? [] : [`To tick one: ${tickOf(id, open.text)}`]),
  ]
}

/** Without explicit todos, the phases are the todos, and are shown already. */
function todosOf({ requiredTodos, marks }: SkillFacts, plan: Plan | undefined) {
  const phases = new Set(plan === undefined ? [] : phasesIn(plan).map((phase) => phase.name))
  return checklistOf(
    requiredTodos.filter((text) => !phases.has(text)),
    marks,
  )
}

const tickOf = (id: number, text: string): string =>
  `holdfast effort tick ${id} ${shellWord(oneLine(text, LONGEST_TODO))}`

const LONGEST_TODO = 200

const named = (label: string, optional: boolean): string =>
  optional ? `${oneLine(label)} (optional)` : oneLine(label)

const namesLine = (what: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`${what}: ${listed(names, ROOM)}.`]

function phaseLines(skill: SkillFacts, plan: Plan, effort: Effort): readonly string[] {
  const { current_phase: current } = effort
  const now = skill.progress ?? begin(plan)
  const proof = proofToLeave(plan, current)
  const { given, ways, beside } = waysOn(skill, plan, effort)
  const what =
    now.status === 'parked'
      ? parkedBy(now, skill)
      : nextPhases(plan, now).length === 0
        ? 'This is the last phase. When the work is done, run'
        : 'To go on, run'
  const isOver = now.status === 'completed'
  return [
    current === null ? NO_PHASE : currentPhase(current),
    ...overLines(skill, plan, effort, isOver),
    ...(isOver || proof.length === 0 ? [] : [`${PROOF}: ${listed(proof, ROOM)}.`]),
    ...given.map((one) => `Next: ${one}.`),
    ...(isOver || ways.length === 0 ? [] : [`${what}: ${ways.join(' or ')}`]),
    ...beside,
    ...namesLine(
      'Phases',
      phasesIn(plan).map(({ label, name, optional }) =>
        named(`${label} ${name}`, optional === true && !/\boptional\b/.test(name)),
      ),
    ),
  ]
}
