import { begin } from '../model/advance.ts'
import type { Effort } from '../model/effort.ts'
import { demandOf, isDemanding, recordCommands } from '../model/evidence.ts'
import { listed, oneLine } from '../model/line.ts'
import { phaseCommands } from '../model/phase-command.ts'
import { splitPhase } from '../model/phase.ts'
import { type Plan, stepOf } from '../model/plan.ts'
import { nextSteps, owedBy } from '../model/visit.ts'
import type { SkillFacts } from './rule.ts'

/** A client cuts what is long at its end, so the next action comes first and no list takes much room. */
const ROOM = 1200
const MOST_NEXT = 3

/** Where a skill's work stands, in sentences that are facts, with the exact next action. */
export function standing(skill: SkillFacts): readonly string[] {
  const { plan, effort, name } = skill
  if (effort === undefined) return []
  const head = `Holdfast tracks the skill ${oneLine(name)} as effort ${effort.id} in ${oneLine(effort.task_id)}.`
  const lines =
    plan === undefined
      ? withoutPlan(effort)
      : plan.notation === 'phases'
        ? phaseLines(skill, plan, effort)
        : stepLines(skill, plan, effort)
  return [[head, ...lines].join('\n')]
}

/** The plan may have gone since the effort began, or may never have been in a file. */
const withoutPlan = ({ id, current_phase: current }: Effort): readonly string[] => [
  `The files of the skill hold no plan now; what is known of the effort is shown by: holdfast effort get ${id}`,
  ...(current === null ? [] : [`Current phase: ${oneLine(current)}.`]),
]

function stepLines(skill: SkillFacts, plan: Plan, { id: effort }: Effort): readonly string[] {
  const { progress, enforceable, requiredTodos, recorded } = skill
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
    ...namesLine('It asks for these todos', requiredTodos),
  ]
}

const named = (label: string, optional: boolean): string =>
  optional ? `${oneLine(label)} (optional)` : oneLine(label)

const namesLine = (what: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`${what}: ${listed(names, ROOM)}.`]

function phaseLines(skill: SkillFacts, plan: Plan, effort: Effort): readonly string[] {
  const { id, current_phase: current } = effort
  const phases = plan.steps.map(({ label, title, proof }) => ({ label, name: title, proof }))
  const label = current === null ? undefined : splitPhase(current).label
  const proof = phases.find((phase) => phase.label === label)?.proof ?? []
  const isProved = (field: string) => isDemanding(demandOf(plan.demands, field))
  const toProve = proof.filter((field) => isProved(field) && !skill.recorded.good.has(field))
  // What must be proved cannot be said.
  const commands = phaseCommands(
    effort,
    phases.map((phase) => ({ ...phase, proof: phase.proof.filter((field) => !isProved(field)) })),
  )
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
      phases.map((phase) => `${phase.label} ${phase.name}`),
    ),
  ]
}
