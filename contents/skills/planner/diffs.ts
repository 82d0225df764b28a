import { convention, forbidden, param, step, workflow } from 'holdfast/workflow'

/** What a developer sub-agent does: it writes code into the plan, not into the project. */
export const fillDiffs = workflow(
  'fill-diffs',
  [
    step({
      id: 'read',
      title: 'Read the plan',
      actions: [
        'Read the plan: {{plan}}',
        'Read the findings about the code: {{context}}',
        'If your prompt names a QR_REPORT_PATH, read that report too. Then your work is its findings, and only these.',
        '',
        'Done when: you can say for each milestone what changes for its user, which decisions bind it, and which findings concern it.',
      ],
      next: 'locate',
    }),
    step({
      id: 'locate',
      title: 'Locate the changes',
      actions: [
        'For each milestone, open every file that must change and every test that must change or be added.',
        'Note for each file: the functions concerned, the lines around them that will be the context, and how the neighboring code does the same.',
        'Where the neighbors and the rules of the project say nothing, this holds for what you will write:',
        convention('structural'),
        'Check that the plan still fits what you see. If a decision is missing, or cannot be carried out, note it for your last message. Do not decide it yourself.',
        '',
        'Done when: every milestone has a list of files with functions, and you opened all of them in this step.',
      ],
      next: 'write',
    }),
    step({
      id: 'write',
      title: 'Write the diffs',
      actions: [
        'Write the diffs into the section Diffs of each milestone, in the order of the milestones.',
        convention('diff-format'),
        convention('intent-markers'),
        'Tests belong to the milestone that they test, and follow the testing strategy of the plan.',
        forbidden(
          'Changing a file of the project',
          'Changing a section of the plan other than Diffs',
          'Leaving out code with "..." or a comment',
        ),
        'Done when: every milestone has diffs for its code and its tests, and each acceptance criterion is met by one of them.',
      ],
      next: 'check',
    }),
    step({
      id: 'check',
      title: 'Check the diffs',
      actions: [
        'For each hunk, search its context lines in the file: they exist, in this order, exactly once in the named function. Correct those that do not.',
        'Read the diffs in order, as a compiler would: every name that is used is imported and defined, every changed signature is changed at all its callers.',
        'If a review sent you here: go through its report again and note for each finding where it is fixed.',
        'Your last message says: the number of diffs in each milestone, each finding with its place if there was a report, and what you could not settle and why.',
        '',
        'Done when: you searched the context of every hunk in this step and none is wrong.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Writes the exact code changes of a plan into it.',
    params: {
      plan: param.text({ required: true, description: 'The path of the plan.' }),
      context: param.text({ description: 'The path of the findings about the code.' }),
    },
  },
)
