import {
  detectionQuestions,
  openQuestions,
  param,
  REVIEW_STATE,
  reviewReport,
  step,
  workflow,
} from 'holdfast/workflow'

/** Is the change in the working tree what was asked for, and will it hold? */
export const reviewChange = workflow(
  'review-change',
  [
    step({
      id: 'expect',
      title: 'Expect, then look',
      actions: [
        'What was asked for: {{request}}',
        'What was to change, with its criteria: {{scope}}',
        '',
        'Before you look at the change, write down what a correct one must contain: behavior, tests, documents, and what must stay as it is.',
        'Then read the change: `git status --porcelain`, `git diff HEAD`, and each new file. Open the callers of what changed.',
        '',
        'Done when: you have your list from before, and you have read every changed line and at least one caller of each changed name.',
      ],
      next: 'run',
    }),
    step({
      id: 'run',
      title: 'Run the checks',
      actions: [
        'Run the checks of the project and the command of each criterion yourself. What others ran is a claim.',
        'For each new or changed test, name the smallest change of the code that makes it fail. If you find none, the test is a candidate for a finding.',
        '',
        'Done when: each check and each criterion has its output of this step, and each test has such a change.',
      ],
      next: 'question',
    }),
    step({
      id: 'question',
      title: 'Question the change',
      actions: [
        openQuestions(),
        detectionQuestions('DEFECT', [
          {
            id: 'F1',
            text: 'What happens with input that is empty, absent, wrong, repeated, or far too large?',
          },
          { id: 'F2', text: 'What happens if two run at once, or one stops in the middle?' },
          { id: 'F3', text: 'Which criterion or line of your own list does nothing in the change meet?' },
        ]),
        detectionQuestions('DUPLICATE_LOGIC', [
          { id: 'U1', text: 'Where did the project already have something that does this?' },
        ]),
        detectionQuestions('CONVENTION_VIOLATION', [
          {
            id: 'V1',
            text: 'Where do names, errors, structure or tests differ from the nearest similar code?',
          },
        ]),
        detectionQuestions('DEAD_CODE', [
          { id: 'X1', text: 'What is in the change that nobody asked for or that nothing reaches?' },
        ]),
        'Done when: each question has an answer with path:line, or the words "nothing found" and where you looked.',
      ],
      next: 'report',
    }),
    reviewReport('vet'),
  ],
  {
    description: 'Reviews the change in the working tree.',
    params: {
      request: param.text({ required: true, description: 'What was asked for.' }),
      scope: param.text({
        required: true,
        description: 'The path of the criteria and the files that change.',
      }),
    },
    state: REVIEW_STATE,
  },
)
