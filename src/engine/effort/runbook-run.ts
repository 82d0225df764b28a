import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { differenceOf, differenceText, judgedIn } from '../../model/plan/edit.ts'
import { failureTexts } from '../../model/plan/failure.ts'
import { nextActions } from '../../model/plan/next-action.ts'
import { nextStep } from '../../model/plan/pipeline.ts'
import { MOST_STEPS, type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { choicesIn, type Hand, handOf } from '../../model/runbook/hand.ts'
import { isReview, planOf } from '../../model/runbook/plan.ts'
import type { RunbookReading } from '../../model/runbook/reading.ts'
import type { Runbook } from '../../model/runbook/runbook.ts'
import type { WorkTree } from '../../model/runbook/work-tree.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Skill } from '../../model/skill.ts'
import { listApprovals } from '../../store/approval.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { approvedSteps } from '../plan/progress.ts'
import { judgedDigest, skillOfEffort } from '../skill/kept-plan.ts'
import type { Mover } from './mover.ts'
import { refusedStep } from './refused-step.ts'
import { baseOf, keepBase } from './runbook-base.ts'
import { asSkill } from './runbook-plan.ts'
import { keepReport, type SeenReport } from './runbook-report.ts'
import { rootOfEffort } from './runbook-root.ts'
import { checkClean } from './runbook-tree.ts'
import { enterStep } from './step-enter.ts'

type OrNull<T> = { readonly [K in keyof T]: T[K] | null }

/** Where a runbook stands, with the one thing to do next, if there is one. */
export interface RunbookState extends OrNull<Omit<Hand, 'effort'>> {
  readonly effort: number
  readonly runbook: string
  /** Its folder, which is the task of the effort. */
  readonly folder: string
  readonly status: 'running' | 'completed' | 'parked' | 'finished'
  /** Why it is parked. */
  readonly reason: string | null
  readonly failures: readonly string[]
  /** What the caller should know besides. */
  readonly notes: readonly string[]
  readonly next: readonly string[]
}

/** A step of a runbook, with its tries. */
export interface RunbookRow {
  readonly step: string
  readonly title: string
  readonly phase: string
  readonly state: string
  readonly attempts: number
  readonly limit: number | null
  readonly agent: string | null
  /** Of the last try, or of the first one. */
  readonly model: string | null
  readonly outcome: string | null
  /** Why the last try failed. */
  readonly failed: string | null
}

/** Where a runbook stands, with all of its steps. */
export interface RunbookSteps extends RunbookState {
  readonly steps: readonly RunbookRow[]
}

const NOTHING: OrNull<Omit<Hand, 'effort'>> = {
  step: null,
  title: null,
  phase: null,
  position: null,
  agent: null,
  model: null,
  max_turns: null,
  prompt: null,
  report_path: null,
  command_done: null,
  command_error: null,
  attempt: null,
  limit: null,
  resumed: null,
}

/** The state of a runbook, with the step that was handed out. */
export async function describeRunbook(
  tx: Tx,
  mover: Mover,
  { resumed = true, notes = [] }: { readonly resumed?: boolean; readonly notes?: readonly string[] } = {},
): Promise<RunbookState> {
  const { effort, plan, progress } = mover
  const isOver = effort.lifecycle === 'finished'
  const found = isOver ? undefined : nextStep(plan, progress)
  const hand = found?.isBegun === true ? await handIn(tx, mover, found.step, resumed) : NOTHING
  return {
    ...hand,
    effort: effort.id,
    runbook: plan.runbook?.name ?? '',
    folder: effort.task_id,
    status: isOver ? 'finished' : progress.status,
    reason: progress.reason ?? null,
    failures: failureTexts(plan, progress),
    notes: isOver ? [endOf(progress), ...notes] : [...choicesIn(plan, progress), ...notes],
    next: nextActions(effort, mover),
  }
}

/** An effort may be given up, and then it is not done. */
const endOf = ({ status }: Mover['progress']): string =>
  status === 'completed' ? 'Every step of the runbook is done.' : 'It was given up before its last step.'

async function handIn(tx: Tx, mover: Mover, step: Step, resumed: boolean): Promise<Hand> {
  const { effort, plan, progress } = mover
  const root = await rootOfEffort(tx, mover)
  const base = isReview(step) ? await baseOf(tx, effort.id, plan, step) : undefined
  const approvals = await listApprovals(tx, { effort_id: effort.id })
  const approved = approvals.findLast(({ kind, subject }) => kind === 'step' && subject === step.id)?.reason
  return handOf(plan, progress, step, { effort: effort.id, root, resumed, base, approved })
}

/** What was seen of a runbook before the call. */
export interface SeenRunbook {
  readonly reading: RunbookReading | undefined
  /** The step that was next then, and whether its file is there. */
  readonly file?: { readonly step: string; readonly isThere: boolean } | undefined
  /** The report of that step, from an earlier try or by somebody else. */
  readonly former?: SeenReport | undefined
  readonly tree?: WorkTree | undefined
}

/** Hands out the next step, or again the one that was handed out and not reported: asking is no try. */
export async function handOut(tx: Tx, mover: Mover, seen: SeenRunbook, call: Call): Promise<RunbookState> {
  const { plan, effort } = mover
  const notes = await notesOn(tx, mover, seen)
  const { step, isBegun = false } = (await stepToHandOut(tx, mover)) ?? {}
  if (step === undefined) return await describeRunbook(tx, mover, { notes })
  checkFile(mover, step, seen)
  if (isBegun) return await describeRunbook(tx, mover, { notes })
  await checkClean(tx, mover, step, seen.tree)
  if (seen.former?.step === step.id) await keepReport(tx, effort.id, seen.former, call)
  await keepBase(tx, { effort_id: effort.id, plan, step, head: seen.tree?.head }, call)
  const entered = await enterStep(tx, mover, { step, proof: {} }, call)
  return await describeRunbook(tx, entered.mover, { resumed: false, notes })
}

/** The step that was handed out and not reported, else one that the user allowed, else the next one. */
export async function stepToHandOut(
  tx: Tx,
  { plan, progress, effort }: Mover,
): Promise<{ readonly step: Step; readonly isBegun: boolean } | undefined> {
  const found = nextStep(plan, progress)
  if (found?.isBegun === true) return found
  const approved = stepOf(plan, (await approvedSteps(tx, effort.id, plan))[0] ?? '')
  return approved === undefined ? found : { step: approved, isBegun: false }
}

function checkFile(mover: Mover, { id, hands }: Step, { file, reading }: SeenRunbook): void {
  if (file?.step !== id || file.isThere) return
  if (reading?.compiled === 'current') {
    const reason = `The runbook was edited and compiled without step ${id}, which is next. Only the user can accept that.`
    throw refusedStep(mover.effort, {
      step: id,
      rule: 'plan',
      reason,
      field: 'runbook',
      hint: `holdfast effort accept ${mover.effort.id}`,
    })
  }
  const reason = `The file of step ${id} is missing: ${hands?.file ?? ''}.`
  throw refusedStep(mover.effort, {
    step: id,
    rule: 'plan',
    reason,
    field: 'runbook',
    hint: compileCommand(mover.plan.runbook?.folder ?? ''),
  })
}

/** The command that writes the files of a runbook again. */
const compileCommand = (folder: string): string => `holdfast runbook compile ${shellWord(folder)}`

/** An edit of the runbook waits for the user; without git, nothing shows what a step left behind. */
async function notesOn(
  tx: Tx,
  { effort, plan, progress }: Mover,
  { reading, tree }: SeenRunbook,
): Promise<readonly string[]> {
  const isFirst = Object.keys(progress.visits).length === 0
  return [
    ...(await editNotes(tx, { effort, plan }, reading)),
    ...(isFirst && tree === undefined
      ? ['This runbook is not in a git repository, so nothing checks that each step commits its work.']
      : []),
  ]
}

async function editNotes(
  tx: Tx,
  { effort, plan }: Pick<Mover, 'effort'> & { readonly plan: Plan },
  reading: RunbookReading | undefined,
): Promise<readonly string[]> {
  if (reading === undefined) return []
  const folder = plan.runbook?.folder ?? ''
  const { runbook, compiled } = reading
  if (runbook === undefined)
    return [
      `The runbook has errors now; this effort goes on with the one that it began with: holdfast runbook check ${shellWord(folder)}`,
    ]
  const what = editOnDisk(await skillOfEffort(tx, effort), effort, runbook)
  if (what === undefined) return []
  const first = compiled === 'current' ? '' : `${compileCommand(folder)} && `
  return [
    `The runbook was edited since this effort began: the edit ${what}. It counts once the user runs: ${first}holdfast effort accept ${effort.id}`,
  ]
}

/** What a runbook on disk says otherwise than its effort keeps; undefined if nothing that is judged. */
export function editOnDisk(kept: Skill | undefined, effort: Effort, runbook: Runbook): string | undefined {
  const now = asSkill(runbook, effort)
  if (kept === undefined || judgedDigest(kept) === judgedDigest(now)) return undefined
  return differenceText(differenceOf(judgedIn(kept), judgedIn(now)))
}

/** Refuses a runbook that cannot begin, with the command that helps. */
export function readyRunbook(reading: RunbookReading | undefined, folder: string): Runbook {
  const { runbook, compiled, errors = [] } = reading ?? {}
  if (runbook === undefined) {
    const [first] = errors
    const message =
      first === undefined
        ? `${folder} has no runbook.`
        : `The runbook in ${folder} has errors: ${first.message}`
    const hint = `holdfast runbook check ${shellWord(folder)}`
    throw new EngineError(first === undefined ? 'not-found' : 'conflict', message, { field: 'runbook', hint })
  }
  const hint = compileCommand(folder)
  if (compiled !== 'current') {
    const why = compiled === 'missing' ? 'is not compiled' : 'was edited since it was compiled'
    throw new EngineError('conflict', `The runbook in ${folder} ${why}.`, { field: 'runbook', hint })
  }
  const { steps } = planOf(runbook)
  if (steps.length > MOST_STEPS) {
    const message = `The runbook in ${folder} has ${steps.length} steps with its reviews; ${MOST_STEPS} are the most. Split it into several.`
    throw new EngineError('too-large', message, { field: 'runbook', hint })
  }
  return runbook
}
