import { convention, forbidden, step, workflow } from 'holdfast/workflow'
import { about } from './about.ts'

/** What a technical-writer sub-agent does with the texts of the change. */
export const document = workflow(
  'document',
  [
    step({
      id: 'collect',
      title: 'Collect the knowledge',
      actions: [
        'The plan: {{plan}}',
        'The first commit, and the paths of what the developers and reviewers wrote: {{progress}}',
        'If your prompt names a QR_REPORT_PATH, read that report. Then your work is its blocking findings, and only these.',
        '',
        'Otherwise list what the code alone does not show: decisions, rejected approaches, assumptions, risks, sources of numbers, orders that must hold, and the departures that the developers noted. Then search the documents of the project for the names that `git diff` since the first commit changes.',
        convention('documentation'),
        'Done when: each item of the list has a place by the table or the word nowhere, and each document that became wrong is on the list.',
      ],
      next: 'write',
    }),
    step({
      id: 'write',
      title: 'Write the texts',
      actions: [
        'Write the comments and documents of the list, where the project keeps them. Delete comments that repeat the code.',
        convention('temporal'),
        forbidden(
          'Changing a line of code',
          'Stating a reason that stands neither in the plan nor in the code',
          'Committing',
        ),
        'Done when: each item is written or marked nowhere, and the answer is "no" to all four questions for each sentence that you wrote.',
      ],
      next: 'check',
    }),
    step({
      id: 'check',
      title: 'Check the texts',
      actions: [
        'Read what you wrote as somebody who has neither the plan nor this conversation. Open the code that each sentence is about.',
        'Run the checks of the project that cover texts and comments: formatter, linter, tests of documents.',
        'Your last message says: how many comments and documents changed, the items marked nowhere, each finding with its place if there was a report, and what you could not settle.',
        '',
        'Done when: each sentence was compared with its code, and the checks have passed after your last change.',
      ],
      next: null,
    }),
  ],
  { description: 'Puts the knowledge of a plan into comments and documents.', format: 'text', params: about },
)
