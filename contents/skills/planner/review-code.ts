import {
  convention,
  detectionQuestions,
  factoredVerification,
  incorrect,
  openQuestions,
  REVIEW_STATE,
  reviewReport,
  step,
  workflow,
} from 'holdfast/workflow'
import { params } from './review.ts'

/** Would the diffs of the plan work, and would one want to keep them? */
export const reviewCode = workflow(
  'review-code',
  [
    step({
      id: 'read',
      title: 'Read the plan',
      actions: [
        'Read the plan: {{plan}}',
        'The findings about the code, which it builds on: {{context}}',
        'Before you judge a diff, write for each milestone what its code must do, from its goal and its acceptance criteria alone.',
        '',
        'Done when: each milestone has that sentence.',
      ],
      next: 'context-match',
    }),
    step({
      id: 'context-match',
      title: 'Do the diffs fit the files?',
      actions: [
        'Open every file that a diff changes. Search the context lines of each hunk.',
        convention('diff-format'),
        'Context that is not in the file, occurs twice, or leaves out code is a DEFECT. So is a line that is missing for the change to work: an import, a caller, a registration.',
        '',
        'Done when: you searched every hunk, and each that does not fit is a candidate for a finding.',
      ],
      next: 'behavior',
    }),
    step({
      id: 'behavior',
      title: 'Behavior',
      actions: [
        openQuestions(),
        factoredVerification(),
        detectionQuestions('Behavior', [
          {
            id: 'B1',
            text: 'What happens with no input, with one, with very many, and with the same one twice?',
          },
          { id: 'B2', text: 'What happens when two of these run at the same time?' },
          { id: 'B3', text: 'What is left behind when it fails in the middle, and who notices?' },
          { id: 'B4', text: 'Which values can reach each new branch, and which branch does none reach?' },
          { id: 'B5', text: 'What does somebody see who uses the old behavior?' },
        ]),
        'Answer from the code of the diffs, then compare with the sentence of the first step. Code that does not do it is a DEFECT; code that does it, but reads as if it did not, is LLM_COMPREHENSION_RISK.',
        '',
        'Done when: all five are answered for each milestone, each answer with the lines that show it.',
      ],
      next: 'structure',
    }),
    step({
      id: 'structure',
      title: 'Structure',
      actions: [
        convention('structural'),
        'Look for GOD_OBJECT, GOD_FUNCTION, DUPLICATE_LOGIC, INCONSISTENT_ERROR_HANDLING and DEAD_CODE in what the diffs add.',
        'Before you call something a duplicate, name both places and the change that would have to be made in both.',
        incorrect(
          'A function of 55 lines is reported because it has more than 50.',
          'The report fills with taste, and the finding that matters is missed.',
        ),
        'Done when: each category is looked for in each milestone, and each candidate names its consequence.',
      ],
      next: 'conventions',
    }),
    step({
      id: 'conventions',
      title: 'Conventions and markers',
      actions: [
        'Compare the diffs with the written rules of the project, and with two neighboring files of the same kind: names, errors, layout, tests.',
        'A departure is CONVENTION_VIOLATION, unless a valid marker stands above it.',
        convention('intent-markers'),
        'Done when: each departure has a marker that you checked, or is a candidate for a finding.',
      ],
      next: 'tests',
    }),
    step({
      id: 'tests',
      title: 'Tests',
      actions: [
        'For each acceptance criterion, find the test in the diffs that shows it. Then ask: which wrong implementation would still pass this test?',
        'Compare the kinds of tests, and what is replaced in them, with the testing strategy of the plan (TESTING_STRATEGY_VIOLATION).',
        '',
        'Done when: each criterion has a test, and each test has a wrong implementation that it would catch.',
      ],
      next: 'report',
    }),
    reviewReport('qr-code'),
  ],
  { description: 'Reviews the diffs of a plan.', params, state: REVIEW_STATE },
)
