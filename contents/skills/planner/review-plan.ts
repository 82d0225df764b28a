import {
  checklist,
  detectionQuestions,
  factoredVerification,
  openQuestions,
  param,
  REVIEW_STATE,
  reviewReport,
  step,
  workflow,
} from 'holdfast/workflow'
import { params } from './review.ts'

/** Is the plan complete enough that somebody else could carry it out? */
export const reviewPlan = workflow(
  'review-plan',
  [
    step({
      id: 'read',
      title: 'Read the request, then the plan',
      actions: [
        'The request: {{request}}',
        '',
        'Before you open the plan, write what it must contain to meet this request: at most ten requirements, R1 to R10, and what could go wrong with each.',
        'Then read the plan: {{plan}}',
        'The findings about the code, which it builds on: {{context}}',
        '',
        'Done when: you have your own list of requirements, written before you knew the answer of the plan.',
      ],
      next: 'decisions',
    }),
    step({
      id: 'decisions',
      title: 'Decisions and assumptions',
      actions: [
        openQuestions(),
        detectionQuestions('DECISION_LOG_MISSING', [
          {
            id: 'D1',
            text: 'Which choices in the milestones could have gone another way, and where is the reason for each?',
          },
          {
            id: 'D2',
            text: 'Which approach was rejected, and what would have to change for it to be the better one?',
          },
        ]),
        detectionQuestions('POLICY_UNJUSTIFIED', [
          { id: 'P1', text: 'Where does each number, limit, timeout and default come from?' },
        ]),
        detectionQuestions('ASSUMPTION_UNVALIDATED', [
          {
            id: 'A1',
            text: 'What must be true of the data, the users and the environment for this plan to work, and who checked it?',
          },
          { id: 'A2', text: 'What happens to the plan if a listed risk comes true?' },
        ]),
        'Done when: each question has an answer with a quotation from the plan, and each answer that is missing there is a candidate for a finding.',
      ],
      next: 'coverage',
    }),
    step({
      id: 'coverage',
      title: 'Coverage of the request',
      actions: [
        'Make a table with a line for each of your requirements: the milestone that meets it, its acceptance criterion, and the test that shows it.',
        'Then the other way round: for each milestone, which requirement needs it? Work that nobody asked for is a candidate too.',
        'Compare the tests with the testing strategy of the plan (TESTING_STRATEGY_VIOLATION).',
        '',
        'Done when: both tables are complete, and every empty cell is a candidate for a finding.',
      ],
      next: 'milestones',
    }),
    step({
      id: 'milestones',
      title: 'Milestones',
      actions: [
        'Read each milestone as somebody who has only this file, and must carry it out without asking.',
        checklist('Milestone', [
          {
            element: 'goal',
            criterion: 'says what a user or caller can do afterwards',
            if_missing: 'LLM_COMPREHENSION_RISK',
          },
          {
            element: 'files',
            criterion: 'every path exists, or is marked as new',
            if_missing: 'LLM_COMPREHENSION_RISK',
          },
          {
            element: 'acceptance criterion',
            criterion: 'can fail, and says how one sees it',
            if_missing: 'TESTING_STRATEGY_VIOLATION',
          },
          {
            element: 'dependencies',
            criterion: 'needs only milestones before it',
            if_missing: 'LLM_COMPREHENSION_RISK',
          },
          {
            element: 'invisible knowledge',
            criterion: 'what only the planner knows is written down',
            if_missing: 'IK_TRANSFER_FAILURE',
          },
        ]),
        'The section Diffs is empty at this time. That is no finding.',
        '',
        'Done when: every milestone has an answer for every line of the list.',
      ],
      next: 'verify',
    }),
    step({
      id: 'verify',
      title: 'Verify the facts',
      actions: [
        factoredVerification(),
        'Take the five statements about the code that the plan depends on most. Turn each into a question, answer it from the code alone, then compare.',
        'A statement that the code contradicts is ASSUMPTION_UNVALIDATED, with both places.',
        '',
        'Done when: five answers have a path and a line, and each is compared.',
      ],
      next: 'report',
    }),
    reviewReport('qr-completeness'),
  ],
  {
    description: 'Reviews whether a plan is complete.',
    params: { ...params, request: param.text({ required: true, description: 'What the user asked for.' }) },
    state: REVIEW_STATE,
  },
)
