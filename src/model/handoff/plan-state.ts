import { ORCHESTRATOR_PLAN } from '../runbook/compiled.ts'
import { isRunbookFile } from '../runbook/files.ts'
import { shellWord } from '../shell/word.ts'

/** How far a plan folder is, from the files in it. */
export const PLAN_STATES = [
  'requirements',
  'briefed',
  'outlined',
  'designed',
  'planned',
  'ready',
  'review-pending',
  'rework',
  'reviewed',
  'delivered',
] as const

export type PlanState = (typeof PLAN_STATES)[number]

/** A folder below `plans/`. */
export interface PlanFolder {
  readonly name: string
  readonly state: PlanState
  /** The call that goes on with it. */
  readonly command: string | undefined
}

const REVIEWED = ['review-pending', 'rework', 'reviewed', 'delivered'] as const

/** The state of a plan folder, by its names and its `lifecycle.md`. Undefined if it is no plan. */
export function planStateOf(names: readonly string[], lifecycle: string | undefined): PlanState | undefined {
  const has = (name: string) => names.includes(name)
  const last = lifecycle?.trim().split('\n').at(-1)?.trim().split(/\s+/)[1]
  const reviewed = REVIEWED.find((state) => state === last)
  if (reviewed !== undefined) return reviewed
  // A runbook of inline phases has no step files.
  if (has(ORCHESTRATOR_PLAN) && (has('steps') || has('compiled'))) return 'ready'
  if (names.some(isRunbookFile)) return 'planned'
  // A plan that is no runbook cannot be compiled.
  if (has('inline-plan.md') || has('design.md')) return 'designed'
  if (has('outline.md')) return 'outlined'
  if (has('brief.md')) return 'briefed'
  return has('requirements.md') ? 'requirements' : undefined
}

/** The call of a skill or the command that goes on from a state. */
export function planCommand(path: string, state: PlanState): string | undefined {
  const folder = shellWord(path)
  switch (state) {
    case 'requirements':
    case 'briefed':
    case 'outlined':
      return `/design ${folder}`
    case 'designed':
      return `/plan-adhoc ${folder}`
    case 'planned':
      return `holdfast runbook compile ${folder}`
    case 'ready':
    case 'rework':
      return `/orchestrate ${folder}`
    case 'reviewed':
      return `/commit ${folder}`
    case 'review-pending':
    case 'delivered':
      return undefined
  }
}
