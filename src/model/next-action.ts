import { begin, type Progress } from './advance.ts'
import type { Effort } from './effort.ts'
import { nextPhases, phasesIn, splitPhase } from './phase.ts'
import { isPipeline, type Plan, stepOf } from './plan.ts'
import { shellWord } from './shell.ts'
import { nextSteps } from './visit.ts'

/** The blank line of a form, which does not pass as proof. */
const UNFILLED = '____'

/** The command that enters a phase, with what must be shown to leave the one before it. */
export function phaseCommand(
  effortId: number,
  phase: string,
  proof: Readonly<Record<string, unknown>> = {},
): string {
  const shown = Object.keys(proof).length === 0 ? '' : ` --proof ${shellWord(JSON.stringify(proof))}`
  return `holdfast effort phase ${effortId} ${shellWord(phase)}${shown}`
}

/** Fields that are to be filled in. */
export const formOf = (fields: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map((field) => [field, UNFILLED]))

/** What comes next in an effort, as a command or as the file to read; several where there is a choice, none at its end. */
export function nextActions(
  effort: Pick<Effort, 'id' | 'lifecycle' | 'current_phase'>,
  plan: Plan | undefined,
  progress: Progress | undefined,
): readonly string[] {
  if (effort.lifecycle === 'finished') return []
  const finish = [`holdfast effort finish ${effort.id}`]
  if (plan === undefined) return finish
  const found =
    plan.notation === 'phases'
      ? phaseActions(effort, plan)
      : isPipeline(plan)
        ? pipelineActions(effort.id, plan, progress ?? begin(plan))
        : stepActions(plan, progress ?? begin(plan))
  return found.length === 0 ? finish : found
}

function phaseActions({ id, current_phase: current }: Pick<Effort, 'id' | 'current_phase'>, plan: Plan) {
  const phases = phasesIn(plan)
  const label = current === null ? undefined : splitPhase(current).label
  const form = formOf(phases.find((phase) => phase.label === label)?.proof ?? [])
  return nextPhases(plan, current).map((phase) => phaseCommand(id, phase, form))
}

/** A pipeline that is stuck goes on only where the user lets it. */
const pipelineActions = (id: number, plan: Plan, { status, visits }: Progress): readonly string[] =>
  status === 'running'
    ? [`holdfast pipeline next ${id}`]
    : plan.steps
        .filter((step) => visits[step.id]?.outcome === 'fail')
        .map((step) => `holdfast effort approve ${id} ${shellWord(step.id)} --reason WHY`)

const stepActions = (plan: Plan, progress: Progress): readonly string[] =>
  nextSteps(plan, progress).map((step) => `read ${stepOf(plan, step)?.place.file ?? step}`)
