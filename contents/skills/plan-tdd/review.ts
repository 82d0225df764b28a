import {
  checklist,
  detectionQuestions,
  param,
  REVIEW_STATE,
  reviewReport,
  step,
  workflow,
} from 'holdfast/workflow'

/** Does every cycle of this runbook begin with a test that fails for the right reason? */
export const review = workflow(
  'review',
  [
    step({
      id: 'walk',
      title: 'Walk through the cycles',
      actions: [
        'The behaviors that were planned: {{behaviors}}',
        'The runbook: {{runbook}}',
        '',
        'Run `holdfast runbook check` with its path. Then go through it cycle by cycle, as an agent that has only the common context, the context of the phase, and this cycle, on the code as all earlier cycles leave it.',
        checklist('Cycle', [
          {
            element: 'behavior',
            criterion: 'one, seen from outside: a call, a message, a file',
            if_missing: 'GOD_FUNCTION',
          },
          {
            element: 'RED',
            criterion: 'file, name and assertion of the test, and the message with which it fails',
            if_missing: 'LLM_COMPREHENSION_RISK',
          },
          {
            element: 'failure',
            criterion: 'this test really fails after the earlier cycles, and for this reason',
            if_missing: 'DEFECT',
          },
          {
            element: 'GREEN',
            criterion: 'says what to add and not the code; nothing that only a later cycle needs',
            if_missing: 'DEAD_CODE',
          },
          {
            element: 'stop conditions',
            criterion: 'its own, or those of the common context',
            if_missing: 'LLM_COMPREHENSION_RISK',
          },
          {
            element: 'dependencies',
            criterion: 'only earlier cycles, and all that it needs',
            if_missing: 'DEFECT',
          },
        ]),
        'A spike (0.x) needs a question and a place for its answer. A regression needs a way to see its test fail.',
        '',
        'Done when: every cycle has an answer for every line of the list, and you opened every path that must exist.',
      ],
      next: 'tests',
    }),
    step({
      id: 'tests',
      title: 'Judge the tests',
      actions: [
        'Make two tables: for each planned behavior, its cycle; for each cycle, the behavior that needs it.',
        detectionQuestions('TESTING_STRATEGY_VIOLATION', [
          {
            id: 'T1',
            text: 'Which test would still pass if GREEN returned a constant, and which later cycle makes it fail then?',
          },
          { id: 'T2', text: 'Which test asserts how the code works instead of what its caller sees?' },
          { id: 'T3', text: 'What is replaced by a mock, and what is left untested by that?' },
        ]),
        detectionQuestions('DEFECT', [
          {
            id: 'E1',
            text: 'Which edges (empty, absent, twice, too large, at once, no permission) does no cycle have, and what happens there?',
          },
          { id: 'E2', text: 'Which behavior of today could break without a test that notices?' },
        ]),
        'Done when: both tables are complete, every empty cell is a candidate for a finding, and each question has an answer with the cycles it is about.',
      ],
      next: 'report',
    }),
    reviewReport('plan-review'),
  ],
  {
    description: 'Reviews whether small agents can carry out a TDD runbook, cycle by cycle.',
    params: {
      runbook: param.text({ required: true, description: 'The path of the runbook.' }),
      behaviors: param.text({ required: true, description: 'The path of the list of behaviors.' }),
    },
    state: REVIEW_STATE,
  },
)
