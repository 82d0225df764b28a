import type { Hands, Plan, Step } from '../plan/plan.ts'
import { quoted } from '../text/line.ts'
import { itemLabel, phaseLabel } from './compiled.ts'
import { FINAL, fixTask, reviewTask } from './review-task.ts'
import {
  pathIn,
  RUNBOOK_MODELS,
  type Runbook,
  type RunbookItem,
  type RunbookModel,
  type RunbookPhase,
  stepFileOf,
} from './runbook.ts'

/** The outcome of a review that could not be done: it is done again. */
export const AGAIN = 'again'

/** The skill that carries out runbooks. */
export const ORCHESTRATE = 'orchestrate'

const REVIEWER = 'vet'
const FIXER = 'refactor'
/** The agents that every runbook needs besides its own: they review the work, and fix what a review found. */
export const RUNBOOK_AGENTS: readonly string[] = [FIXER, REVIEWER]

/** A review is done at most three times, with two fixes between; then the user decides. */
const REVIEW_MODELS = ['sonnet', 'sonnet', 'opus']
const FINAL_MODELS = ['opus', 'opus', 'opus']
const FIX_MODELS = ['sonnet', 'opus']
const REVIEW_TURNS = 40

/** The models of one try after the other: a failure is worth one rung. */
export const modelsFrom = (first: RunbookModel): readonly RunbookModel[] =>
  RUNBOOK_MODELS.slice(RUNBOOK_MODELS.indexOf(first))

/** The model of a try, counted from 1; what the user allows beyond the last rung stays there. */
export const modelFor = ({ models }: Hands, attempt: number): string =>
  models[Math.min(Math.max(attempt, 1), models.length) - 1] ?? ''

/** A part of the main line of a plan: what follows once it has ended well is the next part. */
type Part =
  | { readonly kind: 'item'; readonly phase: RunbookPhase; readonly item: RunbookItem }
  | {
      readonly kind: 'review'
      readonly id: string
      readonly phase: RunbookPhase | undefined
      readonly isLast: boolean
    }

/** The plan of a runbook: its items in order, a checkpoint behind each phase, and a final review. */
export function planOf(runbook: Runbook): Plan {
  const parts = partsOf(runbook)
  const steps = parts.flatMap((part, at) => {
    const after = parts[at + 1]
    const ok = after === undefined ? [] : [idOf(after)]
    return part.kind === 'item' ? [itemStep(runbook, part, ok)] : reviewSteps(runbook, part, ok)
  })
  const { name, folder } = runbook
  return {
    notation: 'runbook',
    explicit: true,
    gate: 'visited',
    entry: parts.slice(0, 1).map(idOf),
    steps,
    hold: 'stop',
    runbook: { name, folder },
  }
}

const idOf = (part: Part): string => (part.kind === 'item' ? part.item.id : part.id)

function partsOf({ phases: all }: Runbook): readonly Part[] {
  const phases = all.filter(({ items }) => items.length > 0)
  const ids = new Set<string>()
  const parts = phases.flatMap((phase, at): readonly Part[] => {
    const items = phase.items.map((item): Part => ({ kind: 'item', phase, item }))
    // The final review of a single phase is its checkpoint.
    if (phases.length === 1) return items
    const isLast = at === phases.length - 1
    return [...items, { kind: 'review', id: unused(`checkpoint-${phase.number}`, ids), phase, isLast }]
  })
  return parts.length === 0 ? [] : [...parts, { kind: 'review', id: FINAL, phase: undefined, isLast: true }]
}

/** Two phases may have one number. */
function unused(wanted: string, ids: Set<string>): string {
  let id = wanted
  for (let counter = 2; ids.has(id); counter++) id = `${wanted}-${counter}`
  ids.add(id)
  return id
}

function itemStep(
  runbook: Runbook,
  { phase, item }: Extract<Part, { kind: 'item' }>,
  ok: readonly string[],
): Step {
  const { id, title, model, agent, maxTurns, reportPath, text, place, kind } = item
  const file = stepFileOf(item)
  const isInline = kind === 'inline' || model === undefined || agent === undefined || file === undefined
  const hands: Hands | undefined = isInline
    ? undefined
    : {
        agent,
        models: modelsFrom(model),
        turns: maxTurns,
        report: reportPath ?? reportFor(runbook, id),
        file: pathIn(runbook, file),
      }
  return {
    ...bare({ id, title: title === '' ? itemLabel(item) : title, phase, ok }),
    // A failure of the orchestrator's own work is the user's at once.
    limit: hands?.models.length ?? 1,
    ...(hands === undefined ? { actions: [text] } : { hands }),
    place: hands?.file === undefined ? place : { file: hands.file, line: 1, column: 1 },
  }
}

const reportFor = (runbook: Runbook, id: string): string => pathIn(runbook, `reports/${id}.md`)

/** A review, and the step that fixes what it finds. */
function reviewSteps(
  runbook: Runbook,
  { id, phase, isLast }: Extract<Part, { kind: 'review' }>,
  ok: readonly string[],
): readonly Step[] {
  const title = phase === undefined ? 'Final review' : `Checkpoint of phase ${phase.number}`
  const fix = `fix-${id}`
  const report = reportFor(runbook, id)
  const place = phase?.place ?? { file: runbook.files[0] ?? runbook.folder, line: 1, column: 1 }
  const about = { turns: REVIEW_TURNS }
  const review: Step = {
    ...bare({ id, title, phase, ok }),
    next: { ok, fail: [fix], [AGAIN]: [id] },
    limit: REVIEW_MODELS.length,
    actions: reviewTask(runbook, { phase, isFull: isLast }),
    hands: { ...about, agent: REVIEWER, models: phase === undefined ? FINAL_MODELS : REVIEW_MODELS, report },
    place,
  }
  const fixing: Step = {
    ...bare({ id: fix, title: `Fix what ${quoted(title)} found`, phase, ok: [id] }),
    limit: FIX_MODELS.length,
    actions: fixTask(report),
    hands: { ...about, agent: FIXER, models: FIX_MODELS, report: reportFor(runbook, fix) },
    place,
  }
  // The fix stands before its review, so that a passed review does not look like one to repeat.
  return [fixing, review]
}

/** Steps are named by their id, which is also the stem of their file. */
const bare = (of: {
  readonly id: string
  readonly title: string
  readonly phase: RunbookPhase | undefined
  readonly ok: readonly string[]
}) => ({
  id: of.id,
  label: of.id,
  title: of.title,
  phase: of.phase === undefined ? 'Review' : phaseLabel(of.phase),
  optional: false,
  consumes: [],
  produces: [],
  next: { ok: of.ok },
  proof: [],
})

/** The first step that a review is about: that of its phase, or of the plan for the final one. */
export const baseStepOf = ({ steps }: Plan, { id, phase }: Step): string | undefined =>
  (id === FINAL ? steps[0] : steps.find((one) => one.phase === phase))?.id

/** True for a step whose failure leads to a fix and not to another try. */
export const isReview = ({ hands, next }: Step): boolean => hands !== undefined && next?.[AGAIN] !== undefined

/** True for a step that fixes what a review found. */
export const isFix = ({ steps }: Plan, id: string): boolean =>
  steps.some((step) => isReview(step) && step.next?.['fail']?.includes(id) === true)
