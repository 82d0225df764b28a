import { begin } from '../model/advance.ts'
import type { Effort } from '../model/effort.ts'
import { demandOf, isDemanding, recordCommand } from '../model/evidence.ts'
import { nextPhases, splitPhase } from '../model/phase.ts'
import { type Plan, stepOf } from '../model/plan.ts'
import { shellWord } from '../model/shell.ts'
import { nextSteps, owedBy } from '../model/visit.ts'
import type { SkillFacts } from './rule.ts'

/** Where a skill's work stands, in sentences that are facts, with the exact next action. */
export function standing(skill: SkillFacts): readonly string[] {
  const { plan, effort, name } = skill
  if (plan === undefined || effort === undefined) return []
  const head = `Holdfast tracks the skill ${name} as effort ${effort.id} in ${effort.task_id}.`
  const lines = plan.notation === 'phases' ? phaseLines(skill, plan, effort) : stepLines(skill, plan, effort)
  return [[head, ...lines].join('\n')]
}

function stepLines(skill: SkillFacts, plan: Plan, { id: effort }: Effort): readonly string[] {
  const { progress, enforceable, requiredTodos, recorded } = skill
  const now = progress ?? begin(plan)
  const labelOf = (id: string) => stepOf(plan, id)?.label ?? id
  const visited = Object.keys(now.visits).filter((id) => !now.current.includes(id))
  const next = nextSteps(plan, now, recorded)
  const owed = owedBy(plan, now, recorded).map((name) =>
    recordCommand(effort, name, demandOf(plan.demands, name)),
  )
  const files = next.map((id) => `${labelOf(id)} (${stepOf(plan, id)?.place.file ?? ''})`)
  return [
    `Steps: ${plan.steps.map(({ label, optional }) => (optional ? `${label} (optional)` : label)).join(', ')}.`,
    ...(visited.length === 0 ? [] : [`Done: ${visited.map(labelOf).join(', ')}.`]),
    ...(now.current.length === 0 ? [] : [`Begun: ${now.current.map(labelOf).join(', ')}.`]),
    ...(owed.length === 0 ? [] : [`What was begun ends with: ${owed.join(' && ')}`]),
    ...(files.length > 0 || owed.length === 0
      ? [files.length === 0 ? 'Nothing is left to begin.' : `Next, read: ${files.join(' or ')}.`]
      : []),
    ...(requiredTodos.length === 0 ? [] : [`It asks for these todos: ${requiredTodos.join(', ')}.`]),
    ...(enforceable && files.length > 0
      ? ['A step that is read before its inputs are there is refused.']
      : []),
  ]
}

function phaseLines(
  skill: SkillFacts,
  plan: Plan,
  { id, current_phase: current }: Effort,
): readonly string[] {
  const phases = plan.steps.map(({ label, title, proof }) => ({ label, name: title, proof }))
  const label = current === null ? undefined : splitPhase(current).label
  const proof = phases.find((phase) => phase.label === label)?.proof ?? []
  const isProved = (field: string) => isDemanding(demandOf(plan.demands, field))
  const said = proof.filter((field) => !isProved(field))
  const toProve = proof.filter((field) => isProved(field) && !skill.recorded.good.has(field))
  const form =
    said.length === 0
      ? ''
      : ` --proof ${shellWord(JSON.stringify(Object.fromEntries(said.map((field) => [field, '____']))))}`
  const commands = nextPhases(phases, current).map(
    (next) => `holdfast effort phase ${id} ${shellWord(next)}${form}`,
  )
  const proving = toProve.map((field) => recordCommand(id, field, demandOf(plan.demands, field)))
  return [
    `Phases: ${phases.map((phase) => `${phase.label} ${phase.name}`).join(', ')}.`,
    current === null ? 'No phase has been entered yet.' : `Current phase: ${current}.`,
    ...(proof.length === 0 ? [] : [`To leave it, show: ${proof.join(', ')}.`]),
    ...(proving.length === 0 ? [] : [`Not by your word, but by running: ${proving.join(' && ')}`]),
    commands.length === 0
      ? `It is the last one; the work ends with: holdfast effort finish ${id}`
      : `The next phase is entered with: ${commands.join(' or ')}`,
  ]
}
