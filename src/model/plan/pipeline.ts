import type { Progress } from './advance.ts'
import { type Plan, type Run, type Step, stepOf } from './plan.ts'
import { shellWord } from '../shell/word.ts'

/** What an agent is given to do, with everything that it needs to do it and to report it. */
export interface Offer {
  readonly step: string
  readonly title: string
  /** `[2/5]`: which one of how many. */
  readonly position: string
  /** The exact call of a skill, the command to run, or the prompt to follow. */
  readonly call: string
  readonly kind: Run['kind']
  readonly verify: string | null
  /** From 1; how many there may be is the limit. */
  readonly attempt: number
  readonly limit: number | null
  /** It was begun before, and nobody has said how it ended. */
  readonly resumed: boolean
  readonly report: { readonly done: string; readonly fail: string }
}

/** What stands for what a pipeline was started with. */
const ARGUMENTS = '$ARGUMENTS'

/** A step as it is offered to whoever carries out the pipeline. */
export function offerOf(
  plan: Plan,
  step: Step,
  about: {
    readonly effortId: number
    readonly args: string
    readonly attempt: number
    readonly resumed: boolean
  },
): Offer {
  const { effortId, args, attempt, resumed } = about
  const { verify, limit, runs } = step
  return {
    step: step.id,
    title: step.title,
    position: `[${plan.steps.indexOf(step) + 1}/${plan.steps.length}]`,
    call: runs === undefined ? '' : callOf(runs, args),
    kind: runs?.kind ?? 'prompt',
    verify: conditionOf(step) ?? null,
    attempt,
    limit: limit ?? null,
    resumed,
    report: {
      done: doneCommand(effortId, step.id, verify?.kind === 'shown'),
      fail: `holdfast pipeline fail ${effortId} ${shellWord(step.id)} --reason WHY`,
    },
  }
}

/** The command that reports a step as done. */
export const doneCommand = (effortId: number, step: string, isShown: boolean): string =>
  `holdfast pipeline done ${effortId} ${shellWord(step)}${isShown ? " --verified '____'" : ''}`

function callOf(runs: Run, args: string): string {
  // A function, because a replacement text would read $& in what the user wrote.
  const filled = (text: string) => text.replaceAll(ARGUMENTS, () => args)
  switch (runs.kind) {
    case 'skill':
      return `/${runs.name} ${filled(runs.args)}`.trim()
    case 'command':
      return filled(runs.command)
    case 'prompt':
      return filled(runs.prompt)
    default:
      return runs satisfies never
  }
}

/** What must be true for a step to be done, in words. */
export function conditionOf({ verify }: Pick<Step, 'verify'>): string | undefined {
  if (verify === undefined) return undefined
  return verify.kind === 'shown' ? verify.condition : `there is a file ${verify.path}`
}

export type StepState =
  | 'completed'
  | 'skipped'
  | 'started'
  | 'ready'
  | 'waiting'
  | 'failed'
  | 'blocked'
  | 'left out'

/** What has become of each step; behind one that failed for good all others are blocked, and none waits for ever. */
export function stepStates(
  plan: Plan,
  progress: Progress,
): readonly { readonly step: Step; readonly state: StepState }[] {
  return plan.steps.map((step) => ({ step, state: stateOf(step.id, progress) }))
}

function stateOf(id: string, { status, current, open, visits }: Progress): StepState {
  const outcome = visits[id]?.outcome
  if (current.includes(id)) return 'started'
  if (open.includes(id)) return 'ready'
  if (outcome === 'ok') return 'completed'
  if (outcome === 'skip') return 'skipped'
  if (outcome !== undefined) return 'failed'
  if (status === 'completed') return 'left out'
  return status === 'parked' ? 'blocked' : 'waiting'
}

/** The one step to go on with: what was begun is never skipped, and of a choice the first is taken. */
export function nextStep(
  plan: Plan,
  { current, open }: Progress,
): { readonly step: Step; readonly isBegun: boolean } | undefined {
  const begun = plan.steps.find(({ id }) => current.includes(id))
  if (begun !== undefined) return { step: begun, isBegun: true }
  const step = open[0] === undefined ? undefined : stepOf(plan, open[0])
  return step === undefined ? undefined : { step, isBegun: false }
}
