import { begin } from '../model/advance.ts'
import type { Effort } from '../model/effort.ts'
import { formOf, nextActions, phaseCommand } from '../model/next-action.ts'
import { nextPhases, phasesIn, splitPhase } from '../model/phase.ts'
import { stepStates } from '../model/pipeline.ts'
import { isPipeline, type Plan, stepOf } from '../model/plan.ts'
import { nextSteps } from '../model/visit.ts'
import type { SkillFacts } from './rule.ts'

/** Where a skill's work stands, in sentences that are facts, with the exact next action. */
export function standing(skill: SkillFacts): readonly string[] {
  const { plan, effort, name } = skill
  if (plan === undefined || effort === undefined) return []
  const head = `Holdfast tracks the skill ${name} as effort ${effort.id} in ${effort.task_id}.`
  const lines =
    plan.notation === 'phases'
      ? phaseLines(plan, effort)
      : isPipeline(plan)
        ? pipelineLines(skill, plan, effort)
        : stepLines(skill, plan)
  return [[head, ...lines].join('\n')]
}

function pipelineLines({ progress }: SkillFacts, plan: Plan, effort: Effort): readonly string[] {
  const now = progress ?? begin(plan)
  const steps = stepStates(plan, now).map(({ step, state }) => `${step.label} (${state})`)
  const actions = nextActions(effort, plan, now)
  return [
    `Its steps are run one after the other: ${steps.join(', ')}.`,
    ...(now.reason === undefined ? [] : [`It is blocked: ${now.reason} Only the user can let it go on.`]),
    `The next step is given by: ${actions.join(' or ')}`,
  ]
}

function stepLines({ progress, enforceable, requiredTodos }: SkillFacts, plan: Plan): readonly string[] {
  const now = progress ?? begin(plan)
  const labelOf = (id: string) => stepOf(plan, id)?.label ?? id
  const visited = Object.keys(now.visits).filter((id) => !now.current.includes(id))
  const next = nextSteps(plan, now)
  const files = next.map((id) => `${labelOf(id)} (${stepOf(plan, id)?.place.file ?? ''})`)
  return [
    `Steps: ${plan.steps.map(({ label, optional }) => (optional ? `${label} (optional)` : label)).join(', ')}.`,
    ...(visited.length === 0 ? [] : [`Done: ${visited.map(labelOf).join(', ')}.`]),
    ...(now.current.length === 0 ? [] : [`Begun: ${now.current.map(labelOf).join(', ')}.`]),
    files.length === 0 ? 'Nothing is left to begin.' : `Next, read: ${files.join(' or ')}.`,
    ...(requiredTodos.length === 0 ? [] : [`It asks for these todos: ${requiredTodos.join(', ')}.`]),
    ...(enforceable && files.length > 0
      ? ['A step that is read before its inputs are there is refused.']
      : []),
  ]
}

function phaseLines(plan: Plan, { id, current_phase: current }: Effort): readonly string[] {
  const phases = phasesIn(plan)
  const label = current === null ? undefined : splitPhase(current).label
  const proof = phases.find((phase) => phase.label === label)?.proof ?? []
  const commands = nextPhases(plan, current).map((next) => phaseCommand(id, next, formOf(proof)))
  return [
    `Phases: ${phases.map((phase) => `${phase.label} ${phase.name}`).join(', ')}.`,
    current === null ? 'No phase has been entered yet.' : `Current phase: ${current}.`,
    ...(proof.length === 0 ? [] : [`To leave it, show: ${proof.join(', ')}.`]),
    commands.length === 0
      ? `It is the last one; the work ends with: holdfast effort finish ${id}`
      : `The next phase is entered with: ${commands.join(' or ')}`,
  ]
}
