import { showCommand } from '../../model/plan/next-action.ts'
import { type Dispatch, isPrinted, type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { fillTemplates } from '../../model/plan/template.ts'
import { waysOn } from '../../model/plan/ways.ts'
import { textKey, textsIn } from '../../model/workflow/texts.ts'
import type { DispatchView, NamedText, StepView } from '../../model/workflow/view.ts'
import type { Tx } from '../../store/query.ts'
import { childrenOf, resultsOf } from './children.ts'
import type { Mover } from './mover.ts'
import { gateOf, parkedGate, reviewOf } from './review.ts'

/** The step of a workflow that an effort is at, as its caller reads it; null if there is none. */
export async function viewOfStep(tx: Tx, mover: Mover): Promise<StepView | null> {
  const { effort, plan, progress, values } = mover
  if (!isPrinted(plan) || effort.lifecycle === 'finished') return null
  const step = stepOf(plan, progress.current[0] ?? '') ?? parkedGate(mover)
  if (step === undefined) return null
  return {
    effort_id: effort.id,
    skill: effort.skill,
    format: plan.format ?? 'xml',
    step: step.id,
    number: plan.steps.findIndex(({ id }) => id === step.id) + 1,
    total: plan.steps.length,
    title: step.title,
    phase: step.phase ?? null,
    visit: progress.visits[step.id]?.attempts ?? 1,
    limit: step.limit ?? null,
    actions: fillTemplates(step.actions ?? [], values),
    texts: textsOf(plan, step),
    dispatch: step.dispatch === undefined ? null : await dispatchOf(tx, mover, step, step.dispatch),
    review: await reviewOf(tx, mover, step),
    gate: await gateOf(tx, mover, step),
    results: await resultsOf(tx, mover, step),
    next: waysOn(effort.id, mover, step),
    again: showCommand(effort.id),
  }
}

/** The texts that a step names; those of a trusted workflow are there. */
const textsOf = ({ texts = {} }: Plan, step: Step): readonly NamedText[] =>
  textsIn(step).flatMap((named) => {
    const key = textKey(named)
    return Object.hasOwn(texts, key) ? [{ ...named, text: texts[key] ?? '' }] : []
  })

async function dispatchOf(tx: Tx, mover: Mover, step: Step, dispatch: Dispatch): Promise<DispatchView> {
  const { each: _, ...rest } = dispatch
  return { ...fillTemplates(rest, mover.values), children: await childrenOf(tx, mover, step) }
}
