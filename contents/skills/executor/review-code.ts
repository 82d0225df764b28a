import {
  convention,
  detectionQuestions,
  openQuestions,
  REVIEW_STATE,
  reviewReport,
  step,
  workflow,
} from 'holdfast/workflow'
import { about } from './about.ts'

/** Does the whole change do what the plan promises, and would one want to keep it? */
export const reviewCode = workflow(
  'review-code',
  [
    step({
      id: 'expect',
      title: 'Expect, then look',
      actions: [
        'The plan: {{plan}}',
        'The first commit, the commands of the project and the verdicts: {{progress}}',
        '',
        'Before you look at the code, write from the milestones alone what a user can do afterwards, and what must stay as it is.',
        'Then read the change: `git diff` since the first commit, and each new file. Files that were changed before the first commit do not count.',
        '',
        'Done when: that list was written first, and you read every changed line and a caller of each changed name.',
      ],
      next: 'run',
    }),
    step({
      id: 'run',
      title: 'Run everything',
      actions: [
        'Run the commands that build, check and test the whole project, once. Developers ran only their own part, beside each other.',
        'Then show one acceptance criterion of each milestone yourself. A milestone without the verdict SATISFIED is a DEFECT, unless the progress says why the user must decide.',
        '',
        'Done when: each command has its output of this step, and each milestone has a criterion that you saw hold or fail.',
      ],
      next: 'behavior',
    }),
    step({
      id: 'behavior',
      title: 'Behavior',
      actions: [
        openQuestions(),
        detectionQuestions('DEFECT', [
          { id: 'B1', text: 'What happens with input that is empty, wrong, repeated, or far too large?' },
          { id: 'B2', text: 'What happens if two run at once, or one stops in the middle?' },
          {
            id: 'B3',
            text: 'Where do the parts of two developers meet, and what does each assume of the other?',
          },
          { id: 'B4', text: 'What do the callers of today see?' },
        ]),
        detectionQuestions('ASSUMPTION_UNVALIDATED', [
          { id: 'A1', text: 'Which departure from the plan changes what a decision of its log relied on?' },
        ]),
        'Done when: each question has an answer with path:line, or the words "nothing found" and where you looked.',
      ],
      next: 'structure',
    }),
    step({
      id: 'structure',
      title: 'Structure and tests',
      actions: [
        convention('structural'),
        'Look for DUPLICATE_LOGIC between the parts of different developers first: they did not see each other. Then GOD_OBJECT, GOD_FUNCTION, INCONSISTENT_ERROR_HANDLING, DEAD_CODE, and CONVENTION_VIOLATION against two neighboring files.',
        'For each new test, name the smallest wrong change of the code that it catches. If there is none, it is TESTING_STRATEGY_VIOLATION.',
        '',
        'Done when: each category was looked for in every changed file, and each test has such a change or is a candidate.',
      ],
      next: 'report',
    }),
    reviewReport('qr-code'),
  ],
  {
    description: 'Reviews the whole change that a plan led to.',
    format: 'text',
    params: about,
    state: REVIEW_STATE,
  },
)
