import {
  convention,
  detectionQuestions,
  factoredVerification,
  REVIEW_STATE,
  reviewReport,
  step,
  workflow,
} from 'holdfast/workflow'
import { params } from './review.ts'

/** Will a later reader find and believe what the diffs say in words? */
export const reviewDocs = workflow(
  'review-docs',
  [
    step({
      id: 'read',
      title: 'Read the texts',
      actions: [
        'Read the plan: {{plan}}',
        'Collect every text that its diffs add or change: comments, documents, messages. Give each its place.',
        '',
        'Done when: you have the list, and it covers every diff.',
      ],
      next: 'timeless',
    }),
    step({
      id: 'timeless',
      title: 'Timeless texts',
      actions: [
        'Ask the four questions of this convention about each sentence of your list. Context lines and removed lines do not count.',
        convention('temporal'),
        'A sentence about a change, a plan or a moment is TEMPORAL_CONTAMINATION; one that needs an earlier version to be understood is BASELINE_REFERENCE.',
        '',
        'Done when: each text of the list is asked about, and each "yes" is a candidate with its quotation.',
      ],
      next: 'knowledge',
    }),
    step({
      id: 'knowledge',
      title: 'Invisible knowledge',
      actions: [
        convention('documentation'),
        detectionQuestions('IK_TRANSFER_FAILURE', [
          {
            id: 'K1',
            text: 'Which entry of the decision log would somebody undo who reads only the code, and what stops them?',
          },
          {
            id: 'K2',
            text: 'Where would a reader look for each assumption and each risk, and what is there?',
          },
          {
            id: 'K3',
            text: 'Which order, lock, limit or format looks accidental, and where does it say that it is not?',
          },
        ]),
        'Done when: each decision, assumption and risk of the plan has a place in a file that the diffs write, or is a candidate for a finding.',
      ],
      next: 'truth',
    }),
    step({
      id: 'truth',
      title: 'Truth of the texts',
      actions: [
        factoredVerification(),
        'Take each text that states how code behaves. Read the code first and write what it does; then compare.',
        'A text that leads to a wrong conclusion is LLM_COMPREHENSION_RISK. A marker whose reason does not hold is MARKER_INVALID.',
        'Then search the documents of the project for statements that the diffs make wrong.',
        '',
        'Done when: each such text is compared with its code, and you searched the documents for every name that the diffs change.',
      ],
      next: 'report',
    }),
    reviewReport('qr-docs'),
  ],
  { description: 'Reviews the comments and documents in the diffs of a plan.', params, state: REVIEW_STATE },
)
