import type { Block } from '../plan/plan.ts'
import { allTexts } from '../plan/template.ts'
import { isSound, type KnownBlock } from './block-fields.ts'
import { conditionalDispatch, modelSelection } from './dispatch.ts'
import {
  detectionQuestions,
  expectedOutput,
  factoredVerification,
  forbidden,
  incorrectBehavior,
  openQuestionGuidance,
  resource,
  routing,
  verificationChecklist,
} from './lists.ts'
import { orchestratorConstraint, qrOutput, stateBanner } from './review.ts'
import type { NamedText } from './view.ts'
import type { Element, Part } from './xml.ts'

/** The actions of a step; each block is printed in place by its formatter, and a strange one as its texts. */
export const actionParts = (
  actions: readonly (string | Block)[],
  texts: readonly NamedText[],
): readonly Part[] =>
  actions.flatMap((action): readonly Part[] => {
    if (typeof action === 'string') return [action]
    const printed = isSound(action) ? blockElement(action, texts) : undefined
    if (printed !== undefined) return [printed]
    const { block: _, ...fields } = action
    return allTexts(fields)
  })

/** The texts that no block prints in place. */
export const otherTexts = (
  actions: readonly (string | Block)[],
  texts: readonly NamedText[],
): readonly Element[] => {
  const inPlace = new Set(
    actions
      .filter((action) => typeof action !== 'string')
      .filter((action) => isSound(action))
      .map((action) => textOf(action, texts)),
  )
  return texts.filter((text) => !inPlace.has(text)).map((text) => resource({ ...text, purpose: text.kind }))
}

const textOf = (block: KnownBlock, texts: readonly NamedText[]): NamedText | undefined =>
  block.block === 'convention' || block.block === 'resource'
    ? texts.find(({ kind, name }) => kind === block.block && name === block.name)
    : undefined

/** Undefined for a text that the workflow does not have. */
function blockElement(block: KnownBlock, texts: readonly NamedText[]): Element | undefined {
  switch (block.block) {
    case 'convention':
    case 'resource': {
      const found = textOf(block, texts)
      const purpose = (block.block === 'resource' ? block.purpose : undefined) ?? block.block
      return found === undefined ? undefined : resource({ ...found, purpose })
    }
    case 'forbidden':
      return forbidden(block)
    case 'expected-output':
      return expectedOutput(block)
    case 'routing':
      return routing(block)
    case 'detection-questions':
      return detectionQuestions(block)
    case 'checklist':
      return verificationChecklist(block)
    case 'incorrect':
      return incorrectBehavior(block)
    case 'banner':
      return stateBanner(block)
    case 'conditional':
      return conditionalDispatch(block)
    case 'model-selection':
      return modelSelection(block)
    case 'orchestrator-constraint':
      return orchestratorConstraint()
    case 'factored-verification':
      return factoredVerification()
    case 'open-questions':
      return openQuestionGuidance()
    case 'qr-output':
      return qrOutput()
    default:
      return block satisfies never
  }
}
