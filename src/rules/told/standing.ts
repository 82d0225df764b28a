import { begin } from '../../model/plan/advance.ts'
import { checklistOf } from '../../model/checklist.ts'
import { type Effort, isTracked } from '../../model/effort.ts'
import { recordCommands } from '../../model/plan/evidence.ts'
import { listed, oneLine } from '../../model/text/line.ts'
import { mustBeProved, nextActions, phaseCommands } from '../../model/plan/next-action.ts'
import { phasesIn, proofToLeave } from '../../model/plan/phase.ts'
import { stepStates } from '../../model/plan/pipeline.ts'
import { isPipeline, type Plan, stepOf } from '../../model/plan/plan.ts'
import { shellWord } from '../../model/shell/word.ts'
import { nextSteps, owedBy } from '../../model/plan/visit.ts'
import type { SkillFacts } from '../facts.ts'

/** A client cuts what is long at its end, so the next action comes first and no list takes much room. */
const ROOM = 1200
const MOST_NEXT = 3
const LONGEST_REASON = 500

/** Where a skill's work stands, in sentences that are facts, with the exact next action. */
export function standing(skill: SkillFacts): readonly string[] {
  const { plan, effort, name } = skill
  if (effort === undefined) return []
  const head = `Holdfast tracks the skill ${oneLine(name)} as effort ${effort.id} in ${oneLine(effort.task_id)}.`
  return [[head, ...linesOf(skill, plan, effort)].join('\n')]
}

function linesOf(skill: SkillFacts, plan: Plan | undefined, effort: Effort): readonly string[] {
  if (plan === undefined) return isTracked(skill) ? withoutSteps(skill, effort) : withoutPlan(effort)
  // A pipeline hands out its steps one by one, and asks for nothing else.
  if (isPipeline(plan)) return pipelineLines(skill, plan, effort)
  const lines = plan.notation === 'phases' ? phaseLines(skill, plan, effort) : stepLines(skill, plan, effort)
  return [...lines, ...todoLines(skill, plan, effort)]
}

/** A skill can ask for todos or for words in the log, and leave the way to its agent. */
const withoutSteps = (skill: SkillFacts, effort: Effort): readonly string[] => [
  `It has no steps; when the work is done, run: holdfast effort finish ${effort.id}`,
  ...(effort.current_phase === null ? [] : [`Current phase: ${oneLine(effort.current_phase)}.`]),
  ...todoLines(skill, undefined, effort),
]

/** The plan may have gone since the effort began, or may never have been in a file. */
const withoutPlan = ({ id, current_phase: current }: Effort): readonly string[] => [
  `The files of the skill hold no plan now; what is known of the effort is shown by: holdfast effort show ${id}`,
  ...(current === null ? [] : [`Current phase: ${oneLine(current)}.`]),
]

function pipelineLines({ progress, recorded }: SkillFacts, plan: Plan, effort: Effort): readonly string[] {
  const now = progress ?? begin(plan)
  const steps = stepStates(plan, now).map(({ step, state }) => `${step.label} (${state})`)
  const actions = nextActions(effort, { plan, progress: now, recorded }).slice(0, MOST_NEXT)
  return [
    `The next step is given by: ${actions.map((action) => oneLine(action)).join(' or ')}`,
    ...(now.reason === undefined
      ? []
      : [`It is blocked: ${oneLine(now.reason, LONGEST_REASON)} Only the user can let it go on.`]),
    ...namesLine('Its steps are run one after the other', steps),
  ]
}

function stepLines(skill: SkillFacts, plan: Plan, { id: effort }: Effort): readonly string[] {
  const { progress, enforceable, recorded } = skill
  const now = progress ?? begin(plan)
  const labelsOf = (ids: readonly string[]) => ids.map((id) => stepOf(plan, id)?.label ?? id)
  const visited = Object.keys(now.visits).filter((id) => !now.current.includes(id))
  const open = new Set(nextSteps(plan, now, recorded))
  const owed = recordCommands(effort, plan.demands, owedBy(plan, now, recorded))
  const files = plan.steps
    .filter(({ id }) => open.has(id))
    .slice(0, MOST_NEXT)
    .map(({ label, optional, place }) => `${named(label, optional)} (${oneLine(place.file)})`)
  const gates = enforceable && plan.notation === 'steps' && files.length > 0
  return [
    ...(owed === '' ? [] : [`What was begun ends with: ${owed}`]),
    ...(files.length === 0 ? [] : [`Next, read: ${files.join(' or ')}.`]),
    ...(files.length === 0 && owed === '' ? ['Nothing is left to begin.'] : []),
    ...(gates ? ['A step that is read before its inputs are there is refused.'] : []),
    ...namesLine('Begun', labelsOf(now.current)),
    ...namesLine('Done', labelsOf(visited)),
    ...namesLine(
      'Steps',
      plan.steps.map(({ label, optional }) => named(label, optional)),
    ),
  ]
}

/** Our own checklist: a client may have no list of its own, or show another. */
function todoLines(
  { requiredTodos, marks }: SkillFacts,
  plan: Plan | undefined,
  { id }: Effort,
): readonly string[] {
  // Where nothing else is asked for, the phases are the todos, and are told already.
  const phases = new Set(plan === undefined ? [] : phasesIn(plan).map((phase) => phase.name))
  const asked = requiredTodos.filter((text) => !phases.has(text))
  const items = checklistOf(asked, marks)
  const names = items.map(({ text, done }) => (done ? `${oneLine(text)} (done)` : text))
  const open = items.find(({ done }) => !done)
  return [
    ...namesLine('It asks for these todos', names),
    ...(open === undefined
      ? []
      : [`One is ticked with: holdfast effort tick ${id} ${shellWord(oneLine(open.text, LONGEST_TODO))}`]),
  ]
}

const LONGEST_TODO = 200

const named = (label: string, optional: boolean): string =>
  optional ? `${oneLine(label)} (optional)` : oneLine(label)

const namesLine = (what: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`${what}: ${listed(names, ROOM)}.`]

function phaseLines({ recorded }: SkillFacts, plan: Plan, effort: Effort): readonly string[] {
  const { id, current_phase: current } = effort
  const proof = proofToLeave(plan, current)
  const toProve = proof.filter((field) => mustBeProved(plan, field) && !recorded.good.has(field))
  const toSay = proof.filter((field) => !mustBeProved(plan, field))
  const commands = phaseCommands(effort, plan, toSay).slice(0, MOST_NEXT)
  const proving = recordCommands(id, plan.demands, toProve)
  return [
    current === null ? 'No phase has been entered yet.' : `Current phase: ${oneLine(current)}.`,
    ...(proof.length === 0 ? [] : [`To leave it, show: ${listed(proof, ROOM)}.`]),
    ...(proving === '' ? [] : [`Not by your word, but by running: ${proving}`]),
    commands.length === 0
      ? `It is the last one; the work ends with: holdfast effort finish ${id}`
      : `The next phase is entered with: ${commands.join(' or ')}`,
    ...namesLine(
      'Phases',
      phasesIn(plan).map((phase) => `${phase.label} ${phase.name}`),
    ),
  ]
}
