import type { Progress } from './advance.ts'
import type { Called } from './called.ts'
import { REASON } from './action-words.ts'
import { NOTHING_OWED } from './moves.ts'
import { doneCommand, nameOf, showCommand, stepCommand, toGive } from './next-action.ts'
import { flagsIn } from './flags.ts'
import { type Plan, type Run, type Step, stepOf } from './plan.ts'

/** A step handed to an agent, with everything needed to do and report it. */
export interface Offer {
  readonly step: string
  readonly title: string
  /** `[2/5]`: position and total. */
  readonly position: string
  /** The exact call of a skill, the command to run, or the prompt to follow. */
  readonly call: string
  readonly kind: Run['kind']
  readonly verify: string | null
  /** From 1. */
  readonly attempt: number
  readonly limit: number | null
  /** Set if it was started before and not reported. */
  readonly resumed: boolean
  /** Set if sub-agents do it. */
  readonly give?: string
  /** The skill that it has called, and what came of it. */
  readonly called: Called | null
  readonly report: { readonly done: string; readonly fail: string }
}

/** Placeholder for the arguments of the pipeline. */
const ARGUMENTS = '$ARGUMENTS'

/** A step as the pipeline offers it to the agent. */
export function offerOf(
  plan: Plan,
  step: Step,
  about: {
    readonly effortId: number
    /** The folder of the task. */
    readonly folder: string
    /** The words of the call, with its flags. */
    readonly args: string
    readonly attempt: number
    readonly resumed: boolean
    readonly called?: Called | undefined
  },
): Offer {
  const { effortId, folder, args, attempt, resumed, called = null } = about
  const { limit, runs } = step
  const give = toGive(plan, step)
  return {
    step: step.id,
    title: step.title,
    position: `[${plan.steps.indexOf(step) + 1}/${plan.steps.length}]`,
    call: runs === undefined ? '' : callOf(runs, flagsIn(plan, args).words),
    kind: runs?.kind ?? 'prompt',
    verify: conditionOf(step, folder) ?? null,
    attempt,
    limit: limit ?? null,
    resumed,
    ...(give !== undefined && { give }),
    called,
    report: {
      done:
        runs?.kind === 'own'
          ? showCommand(effortId)
          : doneCommand(effortId, plan, step, { owed: NOTHING_OWED }),
      fail: stepCommand('fail', effortId, nameOf(plan, step), REASON),
    },
  }
}

function callOf(runs: Run, args: string): string {
  // A function, because a replacement string would expand $& in user text.
  const filled = (text: string) => text.replaceAll(ARGUMENTS, () => args)
  switch (runs.kind) {
    case 'skill':
      return `/${runs.name} ${filled(runs.args)}`.trim()
    case 'command':
    case 'own':
      return filled(runs.command)
    case 'prompt':
      return filled(runs.prompt)
    default:
      return runs satisfies never
  }
}

/** The condition for a step to be done, in words. */
export function conditionOf({ verify }: Pick<Step, 'verify'>, folder: string): string | undefined {
  if (verify === undefined) return undefined
  return verify.kind === 'file' ? `the file ${fileIn(folder, verify.path)} exists` : verify.condition
}

/** A file that a step must leave lies in the folder of its task. */
export const fileIn = (folder: string, path: string): string =>
  path.startsWith('/') ? path : `${folder}/${path}`

/** One of completed, skipped, started, ready, waiting, failed, waived, blocked and left out, or another outcome of the plan. */
export type StepState = string

/** The state of each step; a final failure blocks all later steps. */
export function stepStates(
  plan: Plan,
  progress: Progress,
): readonly { readonly step: Step; readonly state: StepState }[] {
  return plan.steps.map((step) => ({ step, state: stateOf(step.id, progress) }))
}

function stateOf(id: string, { status, current, open, visits }: Progress): StepState {
  const { outcome, waived = false } = visits[id] ?? {}
  if (current.includes(id)) return 'started'
  if (open.includes(id)) return 'ready'
  if (waived) return 'waived'
  if (outcome === 'ok') return 'completed'
  if (outcome === 'skip') return 'skipped'
  if (outcome !== undefined) return outcome === 'fail' ? 'failed' : outcome
  if (status === 'completed') return 'left out'
  return status === 'parked' ? 'blocked' : 'waiting'
}

/** The step to continue with: a started one first, else the first open one. */
export function nextStep(
  plan: Plan,
  { current, open }: Progress,
): { readonly step: Step; readonly isBegun: boolean } | undefined {
  const begun = plan.steps.find(({ id }) => current.includes(id))
  if (begun !== undefined) return { step: begun, isBegun: true }
  const step = open[0] === undefined ? undefined : stepOf(plan, open[0])
  return step === undefined ? undefined : { step, isBegun: false }
}
