import {
  convention,
  detectionQuestions,
  factoredVerification,
  REVIEW_STATE,
  reviewReport,
  step,
  workflow,
} from 'holdfast/workflow'
import { about } from './about.ts'

/** Will somebody who comes later find what they need, and is it true? */
export const reviewDocs = workflow(
  'review-docs',
  [
    step({
      id: 'collect',
      title: 'Collect the texts',
      actions: [
        'The plan: {{plan}}',
        'The first commit: {{progress}}',
        'List every text that `git diff` since the first commit adds or changes: comments, documents, messages. Then list the documents that name what the change touches.',
        convention('temporal'),
        'A sentence about a change, a plan or a moment is TEMPORAL_CONTAMINATION. One that needs an earlier version to be understood is BASELINE_REFERENCE.',
        '',
        'Done when: each text has its place, and the four questions were asked of each sentence that the change adds.',
      ],
      next: 'knowledge',
    }),
    step({
      id: 'knowledge',
      title: 'Knowledge and truth',
      actions: [
        factoredVerification(),
        detectionQuestions('IK_TRANSFER_FAILURE', [
          { id: 'K1', text: 'Which decision of the plan would somebody undo who reads only the code?' },
          { id: 'K2', text: 'Which order, limit or format looks accidental, and what says that it is not?' },
          { id: 'K3', text: 'Where would a user look for the new behavior, and what stands there?' },
        ]),
        detectionQuestions('LLM_COMPREHENSION_RISK', [
          {
            id: 'L1',
            text: 'What does the code do that each text of your list describes? Read the code first.',
          },
        ]),
        'Done when: each decision, assumption and risk of the plan has a place in a file or is a candidate, and each text was compared with its code.',
      ],
      next: 'report',
    }),
    reviewReport('qr-docs'),
  ],
  {
    description: 'Reviews the comments and documents of a change.',
    format: 'text',
    params: about,
    state: REVIEW_STATE,
  },
)
