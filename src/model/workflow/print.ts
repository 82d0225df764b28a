import { actionParts, otherTexts } from './blocks.ts'
import { dispatchParts } from './dispatch.ts'
import { runLines } from './guidance.ts'
import { gateActions, gateResultOf, postQrRouting, reviewParts, stateBanner } from './review.ts'
import { currentAction, invokeAfter, nextBlock, stepHeader, subagentResults, xmlMandate } from './step.ts'
import { textOutput } from './text.ts'
import type { StepView } from './view.ts'
import { flatElement, type Part, spaced, writtenAsXml } from './xml.ts'

/** A step of a workflow as its caller reads it, in the format of the workflow. */
export const printStep = (view: StepView): string => (view.format === 'xml' ? stepOutput(view) : asText(view))

function stepOutput(view: StepView): string {
  const isFirst = view.number === 1 && view.visit === 1
  const result = view.gate === null ? [] : gateResultOf(view.gate)
  const workflow = spaced([[currentAction(bodyOf(view))], invokeAfter(view.next), [nextBlock(view)]])
  return writtenAsXml(
    spaced([[stepHeader(view)], isFirst ? [xmlMandate()] : [], result, [flatElement('workflow', workflow)]]),
  )
}

function asText(view: StepView): string {
  const { number, total, title, phase, gate } = view
  const result = gate === null ? [] : gateResultOf(gate)
  const header = { step: number, total, title, brief: phase }
  return textOutput(header, spaced([result, bodyOf(view)]), view)
}

/** What a step says to do, whatever the format. */
function bodyOf(view: StepView): readonly Part[] {
  const { actions, texts, run, dispatch, review, gate, results } = view
  const isDelegated = dispatch !== null
  const report = review?.qr.failed === true ? review.report : null
  const isReviewed = isDelegated && review?.qr.failed === false
  // The reviewer sees nothing of what is said to the orchestrator.
  const more = isReviewed ? { QR_BLOCKING_SEVERITIES: review.blocking.join(', ') } : {}
  return spaced([
    review === null ? [] : reviewParts(review, isDelegated),
    gate === null ? [] : gateActions(gate),
    roundParts(view),
    run === null ? [] : runLines(run.command, run.failed),
    actionParts(actions, texts),
    otherTexts(actions, texts),
    dispatch === null
      ? []
      : dispatchParts({ ...dispatch, title: view.title, vars: { ...dispatch.vars, ...more } }, report),
    results.length === 0 ? [] : [subagentResults(results)],
    isReviewed ? [postQrRouting(review)] : [],
  ])
}

/** The round of a loop that has a limit but no review. */
function roundParts({ review, gate, title, visit, limit }: StepView): readonly Part[] {
  if (review !== null || gate !== null || limit === null || visit === 1) return []
  const explanation = [`This is round ${visit} of ${limit}.`]
  return [stateBanner({ checkpoint: title, iteration: visit, mode: 'repeat', explanation })]
}
