import type { Progress } from '../plan/advance.ts'
import { BLANK } from '../plan/action-words.ts'
import { stuckAt } from '../plan/moves.ts'
import type { Hands, Plan, Step } from '../plan/plan.ts'
import { inOneLine } from '../text/line.ts'
import { CATEGORIES, FAILURES, FINDINGS } from './failure.ts'
import { isReview, modelFor } from './plan.ts'

/** The one thing that an orchestrator does next. */
export interface Hand {
  readonly effort: number
  readonly step: string
  readonly title: string
  readonly phase: string
  /** `[3/12]`: position and total. */
  readonly position: string
  /** The sub-agent that does it; null if the orchestrator does it itself. */
  readonly agent: string | null
  readonly model: string | null
  readonly max_turns: number | null
  /** The whole prompt of the sub-agent, or what the orchestrator does itself. */
  readonly prompt: string
  readonly report_path: string | null
  readonly command_done: string
  readonly command_error: string
  /** From 1. */
  readonly attempt: number
  readonly limit: number | null
  /** Set if it was handed out before and not reported. */
  readonly resumed: boolean
}

/** A command that an orchestrator runs; it names the effort. */
export const runbookCommand = (verb: 'next' | 'status', effortId: number): string =>
  `holdfast runbook ${verb} --effort ${effortId}`

/** The command that reports how a step ended; a report of an earlier try moves nothing. */
export const reportCommand = (
  outcome: 'done' | 'error',
  of: { readonly effort: number; readonly step: string; readonly visit: number },
  why = `--category CATEGORY --reason ${BLANK}`,
): string =>
  `holdfast runbook report ${of.step} ${outcome} --visit ${of.visit} --effort ${of.effort}${outcome === 'done' ? '' : ` ${why}`}`

/** Where a step is done, and what is known of earlier tries. */
interface About {
  readonly root: string
  /** Whether it was handed out before. */
  readonly resumed: boolean
  /** The commit before what a review is about. */
  readonly base?: string | undefined
  /** Why the user let a step go on that had failed, such as the answer to a question. */
  readonly approved?: string | undefined
}

/** A started step as its orchestrator hands it out. */
export function handOf(
  plan: Plan,
  progress: Progress,
  step: Step,
  { effort, ...about }: About & { readonly effort: number },
): Hand {
  const { id, title, phase = '', hands, limit = null } = step
  const { attempts: attempt = 1, failed } = progress.visits[id] ?? {}
  const visit = { effort, step: id, visit: attempt }
  return {
    effort,
    step: id,
    title,
    phase,
    position: positionOf(plan, step),
    agent: hands?.agent ?? null,
    model: hands === undefined ? null : modelFor(hands, attempt),
    max_turns: hands?.turns ?? null,
    prompt: hands === undefined ? linesOf(step).join('\n') : promptOf(step, hands, { ...about, failed }),
    report_path: hands?.report ?? null,
    command_done: reportCommand('done', visit),
    command_error: reportCommand('error', visit),
    attempt,
    limit,
    resumed: about.resumed,
  }
}

/** A fix is done only if its review asks for it, so it stands at the place of its review. */
function positionOf(plan: Plan, step: Step): string {
  const fixes = new Set(plan.steps.filter(isReview).flatMap(({ next }) => next?.['fail'] ?? []))
  const sure = plan.steps.filter(({ id }) => !fixes.has(id))
  const at = sure.findIndex(({ id, next }) => id === step.id || next?.['fail']?.includes(step.id) === true)
  return `[${at + 1}/${sure.length}]`
}

/** What the user chooses between where a review and its fix have reached their limits. */
export function choicesIn(plan: Plan, progress: Progress): readonly string[] {
  const stuck = progress.status === 'parked' ? stuckAt(plan, progress) : []
  return stuck.filter(isReview).flatMap(({ id, next }) => {
    const fix = stuck.find((one) => next?.['fail']?.includes(one.id))
    const [after] = next?.['ok'] ?? []
    const again = `${after === undefined ? 'or ' : ''}${id} to repeat only the review`
    const spite = after === undefined ? '' : `, or ${after} to go on in spite of them`
    return fix === undefined
      ? []
      : [`The user approves ${fix.id} to have the findings fixed once more, ${again}${spite}.`]
  })
}

const LONGEST_REASON = 500

/** A runbook has no blocks. */
const linesOf = ({ actions = [] }: Step): readonly string[] =>
  actions.filter((one) => typeof one === 'string')

/** The prompt of a sub-agent: its own step and nothing of the others. */
function promptOf(
  step: Step,
  { file, report }: Hands,
  { root, failed, resumed, base, approved }: About & { readonly failed: string | undefined },
): string {
  return [
    `Work in ${root}; all paths here are relative to it.`,
    ...(file === undefined ? linesOf(step) : [`Read ${file} and do exactly what it says, nothing else.`]),
    ...(base === undefined ? [] : [`All of it came after commit ${base}: git diff ${base} HEAD`]),
    // Every review is a fresh one.
    ...(isReview(step) ? [] : earlierLines(failed, { resumed, approved })),
    `Write your report to ${report}.`,
    ...(isReview(step) ? [] : ['Commit what you changed, all of it, before you answer.']),
    'Answer with one line and nothing else:',
    isReview(step) ? 'done: what you checked, if nothing must be fixed' : 'done: what now holds',
    'error: CATEGORY: what stopped you',
    `CATEGORY is one of ${categoriesOf(step)}.`,
  ].join('\n')
}

const earlierLines = (
  failed: string | undefined,
  { resumed, approved }: Pick<About, 'resumed' | 'approved'>,
): readonly string[] => [
  ...(failed === undefined ? [] : [`An earlier try failed: ${inOneLine(failed, LONGEST_REASON)}`]),
  ...(failed === undefined || approved === undefined
    ? []
    : [`The user let it go on: ${inOneLine(approved, LONGEST_REASON)}`]),
  ...(failed !== undefined || resumed
    ? ['Somebody has begun this before you. See git status and the report before you change anything.']
    : []),
]

const categoriesOf = (step: Step): string =>
  [
    ...(isReview(step) ? [`${FINDINGS} (something must be fixed; say how many)`] : []),
    ...CATEGORIES.map((one) => `${one} (${FAILURES[one].means})`),
  ].join(', ')
