import {
  detectionQuestions,
  openQuestions,
  param,
  REVIEW_STATE,
  reviewReport,
  step,
  workflow,
} from 'holdfast/workflow'

/** Would somebody who must build, run and pay for this design still agree with it? */
export const review = workflow(
  'review',
  [
    step({
      id: 'expect',
      title: 'Expect, then read',
      actions: [
        'The request: {{request}}',
        '',
        'Before you open the document, write down from the request alone: the requirements that you would set, the two options that you would compare, and the three ways in which such a change usually fails.',
        'Then read the document: {{design}}',
        'Open each place in the code that it names, and compare.',
        '',
        'Done when: your own list exists, and each fact about the code in the document is marked true or false with its place.',
      ],
      next: 'question',
    }),
    step({
      id: 'question',
      title: 'Question the decision',
      actions: [
        openQuestions(),
        detectionQuestions('DECISION_LOG_MISSING', [
          {
            id: 'D1',
            text: 'Which line of the comparison decides, and what remains of the decision without that line?',
          },
          {
            id: 'D2',
            text: 'Which option did you expect that the document does not have, and what would it cost?',
          },
        ]),
        detectionQuestions('DEFECT', [
          {
            id: 'F1',
            text: 'How does the chosen option behave when its input is wrong, twice, late, or ten times larger?',
          },
          {
            id: 'F2',
            text: 'What happens to data and callers of today on the day of the change, and on the day of the way back?',
          },
          { id: 'F3', text: 'Which requirement of your list does no part of the decision meet?' },
        ]),
        detectionQuestions('ASSUMPTION_UNVALIDATED', [
          {
            id: 'A1',
            text: 'What must be true of users, data and libraries for this to work, and where does the document say who checked it?',
          },
        ]),
        detectionQuestions('LLM_COMPREHENSION_RISK', [
          { id: 'L1', text: 'Where would a planner who has only this document have to guess?' },
        ]),
        'Done when: each question has an answer with a quotation from the document, or the word missing.',
      ],
      next: 'report',
    }),
    reviewReport('design-vet'),
  ],
  {
    description: 'Reviews a design document against its request and the code.',
    params: {
      request: param.text({ required: true, description: 'What the user asked for.' }),
      design: param.text({ required: true, description: 'The path of the document.' }),
    },
    state: REVIEW_STATE,
  },
)
