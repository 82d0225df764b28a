import {
  checklist,
  detectionQuestions,
  param,
  REVIEW_STATE,
  reviewReport,
  step,
  workflow,
} from 'holdfast/workflow'

/** Can small agents carry out this runbook, step by step, without asking? */
export const reviewRunbook = workflow(
  'review-runbook',
  [
    step({
      id: 'walk',
      title: 'Walk through the steps',
      actions: [
        'What was to change, with its criteria: {{scope}}',
        'The runbook: {{runbook}}',
        '',
        'Run `holdfast runbook check` with its path. Then go through it step by step, as an agent that has only the common context, the context of the phase, and this step.',
        checklist('Step', [
          {
            element: 'result',
            criterion: 'says what exists or holds afterwards',
            if_missing: 'LLM_COMPREHENSION_RISK',
          },
          {
            element: 'files',
            criterion: 'every path exists, or this or an earlier step makes it',
            if_missing: 'ASSUMPTION_UNVALIDATED',
          },
          {
            element: 'work',
            criterion: 'leaves open no name, format, order or choice that another step or a user depends on',
            if_missing: 'LLM_COMPREHENSION_RISK',
          },
          {
            element: 'check',
            criterion: 'is a command that fails if the work is missing',
            if_missing: 'DEFECT',
          },
          { element: 'size', criterion: 'at most 5 files, and one result', if_missing: 'GOD_FUNCTION' },
          {
            element: 'model',
            criterion: 'haiku only where nothing is left to decide',
            if_missing: 'POLICY_UNJUSTIFIED',
          },
        ]),
        'Done when: every step has an answer for every line of the list, and you opened every path.',
      ],
      next: 'whole',
    }),
    step({
      id: 'whole',
      title: 'Look at the whole',
      actions: [
        'Make two tables: for each criterion of the scope, the step whose check shows it; for each step, the criterion that needs it.',
        detectionQuestions('DEFECT', [
          { id: 'O1', text: 'What does each step need that no earlier step leaves behind?' },
          {
            id: 'O2',
            text: 'After which steps does the project not build or pass its tests, and who would stop there?',
          },
          { id: 'O3', text: 'What is left half done if the runbook ends after a phase?' },
        ]),
        detectionQuestions('DUPLICATE_LOGIC', [
          {
            id: 'U1',
            text: 'Which two steps change the same lines, or say the same thing in different words?',
          },
        ]),
        detectionQuestions('ASSUMPTION_UNVALIDATED', [
          { id: 'A1', text: 'Which statement about the code did you find to be different?' },
        ]),
        'Done when: both tables are complete, every empty cell is a candidate for a finding, and each question has an answer with the steps it is about.',
      ],
      next: 'report',
    }),
    reviewReport('plan-review'),
  ],
  {
    description: 'Reviews whether small agents can carry out a runbook.',
    params: {
      runbook: param.text({ required: true, description: 'The path of the runbook.' }),
      scope: param.text({
        required: true,
        description: 'The path of the criteria and the files that change.',
      }),
    },
    state: REVIEW_STATE,
  },
)
