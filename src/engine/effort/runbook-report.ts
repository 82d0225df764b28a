import { EngineError } from '../../model/error.ts'
import { stepCalled } from '../../model/plan/plan-for.ts'
import type { Step } from '../../model/plan/plan.ts'
import { CATEGORIES, categoryIn, FAILURES, FINDINGS } from '../../model/runbook/failure.ts'
import { reportCommand, runbookCommand } from '../../model/runbook/hand.ts'
import { AGAIN, isReview } from '../../model/runbook/plan.ts'
import { shellWord } from '../../model/shell/word.ts'
import { counted, quoted } from '../../model/text/line.ts'
import type { Tx } from '../../store/query.ts'
import type { Context } from '../call/context.ts'
import type { Call } from '../call/method.ts'
import type { Mover } from './mover.ts'
import { refusedStep } from './refused-step.ts'
import { fileAt } from '../skill/directive-files.ts'
import { keep, keptOf } from './runbook-kept.ts'
import { rootOfEffort } from './runbook-root.ts'
import { hasText } from './step-files.ts'

/** A report file that the prompt of a step asked for. */
interface ReportFile {
  readonly step: string
  readonly root: string
  /** Below the root. */
  readonly path: string
}

/** Where a sub-agent was told to write its report; undefined for a step that the orchestrator does itself. */
export async function reportFileOf(tx: Tx, mover: Mover, word: string): Promise<ReportFile | undefined> {
  const step = stepCalled(mover.plan, word)
  return step && reportIn(await rootOfEffort(tx, mover), step)
}

/** The same for a step of a plan in a project. */
export const reportIn = (root: string, { id: step, hands }: Step): ReportFile | undefined =>
  hands === undefined ? undefined : { step, root, path: hands.report }

/** A report file as it was before the call. */
export interface SeenReport extends Pick<ReportFile, 'step' | 'path'> {
  readonly state: 'written' | 'empty' | 'missing'
  /** Another one after each write, even of the same text. */
  readonly stamp: string
}

export async function seeReport(context: Context, { step, root, path }: ReportFile): Promise<SeenReport> {
  const at = await fileAt(context, { root, path: `${root}/${path}` })
  const there = at === undefined ? undefined : await context.files.identity(at)
  if (at === undefined || there === undefined) return { step, path, state: 'missing', stamp: '' }
  const state = (await hasText(context, { root, path: at })) ? 'written' : 'empty'
  return { step, path, state, stamp: `${there.id} ${there.changedAt}` }
}

const name = 'runbook-reports'

/** Keeps what the report of a step was before a try, which must write it anew. */
export async function keepReport(
  tx: Tx,
  effort_id: number,
  seen: SeenReport | undefined,
  call: Call,
): Promise<void> {
  if (seen === undefined || seen.state === 'missing') return
  await keep(tx, { effort_id, name, step: seen.step, word: seen.stamp }, call)
}

interface Reported {
  readonly outcome: 'done' | 'error'
  readonly category: string | undefined
  readonly reason: string
}

/** Later steps, reviews and fixes read the report, so a done step and findings need one of this try. */
export async function checkReport(
  tx: Tx,
  { effort, progress }: Mover,
  { id, label }: Step,
  { outcome, category, reason: said, seen }: Reported & { readonly seen: SeenReport | undefined },
): Promise<void> {
  if (seen?.step !== id || (outcome === 'error' && category !== FINDINGS)) return
  const isOld = seen.stamp === (await keptOf(tx, { effort_id: effort.id, name, step: id }))
  if (seen.state === 'written' && !isOld) return
  const of = { effort: effort.id, step: id, visit: progress.visits[id]?.attempts ?? 1 }
  const reason = `Step ${quoted(label)} has no report: ${seen.path} is ${seen.state === 'written' ? 'from before this try' : seen.state}.`
  throw refusedStep(effort, {
    step: id,
    rule: 'plan',
    reason,
    message: `${reason} Start its agent once more to write the report, then repeat: ${reportCommand(outcome, of, `--category ${FINDINGS} --reason ${shellWord(said)}`)}. If it writes none, report an error.`,
    field: 'outcome',
    hint: reportCommand('error', of, `--category unexpected --reason 'it wrote no report'`),
  })
}

/** Refuses other commands for a step of a runbook: they look neither at its report nor at git. */
export function checkOwnCommand(
  { effort, plan, progress }: Mover,
  { id, label }: Step,
  outcome?: 'done' | 'error',
): void {
  if (plan.runbook === undefined) return
  const isReport = outcome !== undefined && progress.current.includes(id)
  const of = { effort: effort.id, step: id, visit: progress.visits[id]?.attempts ?? 1 }
  throw refusedStep(effort, {
    step: id,
    rule: 'plan',
    reason: `Step ${quoted(label)} is part of a runbook, and another command ${isReport ? 'reports it' : 'hands it out'}.`,
    field: 'step',
    hint: isReport ? reportCommand(outcome, of) : runbookCommand('next', effort.id),
  })
}

/** True for a repeated report and one about an earlier try. A report of a step not begun is refused. */
export function isPast(
  mover: Mover,
  step: Step,
  { outcome, visit }: { readonly outcome: 'done' | 'error'; readonly visit: number | undefined },
): boolean {
  const { effort, progress } = mover
  const { attempts = 0, outcome: last } = progress.visits[step.id] ?? {}
  const isOpen = progress.current.includes(step.id) && effort.lifecycle === 'active'
  const refuse = (reason: string) =>
    refusedStep(effort, {
      step: step.id,
      rule: 'plan',
      reason,
      field: 'step',
      hint: runbookCommand('next', effort.id),
      code: 'conflict',
    })
  if (visit !== undefined && visit > attempts)
    throw refuse(
      `Step ${quoted(step.label)} has no try ${visit}: it was handed out ${counted(attempts, 'time')}.`,
    )
  if (isOpen) return visit !== undefined && visit < attempts
  if (attempts === 0) throw refuse(`Step ${quoted(step.label)} was not handed out yet.`)
  const isSame = outcome === 'done' ? last === 'ok' : last !== 'ok'
  // An edit may have taken the outcome of a try back, and nobody knows those before the last one.
  const isUnknown = visit !== undefined && (visit < attempts || last === undefined)
  if (isUnknown || isSame) return true
  throw refuse(`Step ${quoted(step.label)} was reported before, as ${last === 'ok' ? 'done' : 'an error'}.`)
}

/** How a failure moves the plan: up one model, to a fix, or to the user. */
export function failureOf(
  { effort }: Mover,
  step: Step,
  { category: said, reason }: { readonly category: string | undefined; readonly reason: string },
) {
  const isOfReview = isReview(step)
  const named = categoryIn(said ?? reason) ?? (said === undefined ? undefined : null)
  const category = named === undefined ? (isOfReview ? FINDINGS : 'execution') : named
  if (category === null || (category === FINDINGS && !isOfReview)) {
    const known = [...(isOfReview ? [FINDINGS] : []), ...CATEGORIES]
    const message = `Step ${quoted(step.label)} cannot fail with the category ${quoted(said ?? FINDINGS, 100)}. It is one of: ${known.join(', ')}.`
    throw new EngineError('invalid', message, { field: 'category', hint: runbookCommand('next', effort.id) })
  }
  const payload = { category, reason: `${category}: ${bare(reason, category)}` }
  if (category === FINDINGS) return { outcome: 'fail', payload }
  if (FAILURES[category].by === 'user') return { outcome: 'fail', payload, asksUser: true }
  return { outcome: isOfReview ? AGAIN : 'fail', payload }
}

/** The reason without the category that an agent repeats in it. */
function bare(reason: string, category: string): string {
  const text = reason.trim().replace(/^error\s*:\s*/i, '')
  const own = text.toLowerCase().startsWith(`${category}:`) ? text.slice(category.length + 1).trim() : text
  return own === '' ? 'no reason was given' : own
}
