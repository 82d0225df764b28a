import type { Progress } from '../../model/plan/advance.ts'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { failureTexts } from '../../model/plan/failure.ts'
import { nameOf, nextActions, optionalAmong, showCommand } from '../../model/plan/next-action.ts'
import { nextStep, type Offer, offerOf, type StepState, stepStates } from '../../model/plan/pipeline.ts'
import { commandOf, isPipeline, isPrinted, type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { leftOutAs, stepCalled } from '../../model/plan/plan-for.ts'
import { finishCommand, owedResult } from '../../model/result.ts'
import { listed, quoted } from '../../model/text/line.ts'
import { nearest } from '../../model/text/nearest.ts'
import type { StepView } from '../../model/workflow/view.ts'
import type { Tx } from '../../store/query.ts'
import type { Context } from '../call/context.ts'
import { type Followed, followedBy } from '../plan/plan.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { type Asker, effortToChange } from './holder.ts'
import { refuseMainThread } from './main-thread.ts'

/** An effort with the plan that it moves in. */
export interface Mover extends Followed {
  readonly effort: Effort
  readonly plan: Plan
}

/** How an effort ended, and the command that begins its skill anew. */
export interface Ending {
  readonly outcome: string
  /** Why it was given up. */
  readonly reason: string | null
  readonly description: string | null
  readonly at: string | null
  readonly again: string
  /** The effort whose step it did, if it was the work of a sub-agent. */
  readonly parent: number | null
}

/** Where an effort stands in its plan, as returned after every move. */
export interface Standing {
  readonly effort_id: number
  readonly skill: string
  readonly notation: Plan['notation']
  readonly status: Progress['status'] | 'finished'
  readonly reason: string | null
  /** How a finished effort ended. */
  readonly finished: Ending | null
  readonly current: readonly string[]
  readonly steps: readonly {
    readonly step: string
    readonly label: string
    readonly title: string
    readonly state: StepState
    readonly attempts: number
    readonly limit: number | null
    readonly optional: boolean
  }[]
  /** What failed, why and in which try, one sentence each. */
  readonly failures: readonly string[]
  /** What keeps the effort open although its plan is carried out, one sentence each. */
  readonly open: readonly string[]
  readonly next: readonly string[]
  /** Those of the next actions that are optional. */
  readonly optional: readonly string[]
  /** The step of a pipeline that was started, with everything to do and report it. */
  readonly offer: Offer | null
  /** The step that a workflow prints now; only in answers about steps. */
  readonly view?: StepView | null
  /** The step that a workflow starts when it prints one. */
  readonly entry: string | null
  /** Set if the CLI must run a command now: the started step is one, or it was reported and a command checks it. */
  readonly runs: boolean
  /** Set if the call was about a visit that has ended, so that nothing moved. */
  readonly past: boolean
  /** Why the plan would have refused the move, if it can only advise. */
  readonly advice: string | null
  /** An edit of the plan that does not apply; only where the effort is shown. */
  readonly plan_edit?: string | null
  /** Whose the effort is, if the caller may not move it; only where the effort is shown. */
  readonly held?: string | null
}

/** Locks an effort for its caller and finds the plan that it moves in. */
export async function moverOf(
  tx: Tx,
  who: { readonly effort_id: number } & Asker,
  context: Context,
  files?: SeenFiles,
): Promise<Mover> {
  const effort = await effortToChange(tx, who, 'moved through steps', context)
  await refuseMainThread(tx, effort, who, context)
  return withPlan(effort, await followedBy(tx, effort, files))
}

/** An effort with its plan; an effort without steps cannot move. */
export function withPlan(effort: Effort, followed: Followed): Mover {
  const { plan } = followed
  if (plan !== undefined && plan.steps.length > 0) return { ...followed, effort, plan }
  throw new EngineError(
    'conflict',
    `Skill ${effort.skill} has no plan, so effort ${effort.id} has no steps.`,
    {
      field: 'effort_id',
      hint: finishCommand(effort.id, owedResult(followed, effort)),
    },
  )
}

/** Where an effort stands, and what to do next. */
export function standingOf(
  mover: Mover,
  { isResumed = true, isPast = false, isChecked = false, advice = null }: Shown = {},
): Standing {
  const { effort, plan, progress } = mover
  const { status, reason, visits, current } = progress
  const next = nextActions(effort, mover)
  const begun = isPipeline(plan) ? nextStep(plan, progress) : undefined
  const isOwn = commandOf(stepOf(plan, current[0] ?? '') ?? {}) !== undefined
  return {
    effort_id: effort.id,
    skill: effort.skill,
    notation: plan.notation,
    status: effort.lifecycle === 'finished' ? 'finished' : status,
    reason: reason ?? null,
    finished: null,
    current,
    steps: stepStates(plan, progress).map(({ step, state }) => ({
      step: step.id,
      label: step.label,
      title: step.title,
      state,
      attempts: visits[step.id]?.attempts ?? 0,
      limit: step.limit ?? null,
      optional: step.optional,
    })),
    failures: failureTexts(plan, progress),
    open: [],
    next,
    optional: optionalAmong(next, effort.id, mover),
    entry: entryOf(mover)?.id ?? null,
    runs: (isChecked || isOwn) && effort.lifecycle !== 'finished',
    past: isPast,
    offer: begun?.isBegun === true ? offerIn(mover, begun.step, isResumed) : null,
    advice,
  }
}

/** What printing a step of a workflow starts: the first open one, or one that the user approved. */
export function entryOf({ effort, plan, progress, approved }: Mover): Step | undefined {
  if (!isPrinted(plan) || effort.lifecycle === 'finished' || progress.current.length > 0) return undefined
  const [id] = progress.status === 'running' ? progress.open : approved
  return id === undefined ? undefined : stepOf(plan, id)
}

interface Shown {
  readonly isResumed?: boolean
  readonly isPast?: boolean
  /** Set if the started step was reported, and its command must still check it. */
  readonly isChecked?: boolean
  readonly advice?: string | null
}

function offerIn({ effort, plan, progress, called }: Mover, step: Step, resumed: boolean): Offer {
  const attempt = progress.visits[step.id]?.attempts ?? 1
  return offerOf(plan, step, {
    effortId: effort.id,
    folder: effort.task_id,
    args: effort.request ?? '',
    attempt,
    resumed,
    called,
  })
}

/** The step that a word means; an unknown one is an error. */
export function stepNamed({ plan, effort }: Mover, word: string): Step {
  const found = stepCalled(plan, word)
  if (found !== undefined) return found
  const hint = showCommand(effort.id)
  const left = leftOutAs(plan, word)
  if (left !== undefined)
    throw new EngineError('refused', `Step ${quoted(left.label)} is left out of this effort.`, {
      field: 'step',
      hint,
    })
  const names = plan.steps.map((step) => nameOf(plan, step))
  const [meant] = nearest(word, names)
  throw new EngineError(
    'not-found',
    `The plan of ${effort.skill} has no step ${quoted(word)}${meant === undefined ? '.' : `; did you mean ${meant}?`} It has: ${listed(names, ROOM)}.`,
    { field: 'step', hint },
  )
}

const ROOM = 1200
