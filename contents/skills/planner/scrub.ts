import { convention, forbidden, param, step, workflow } from 'holdfast/workflow'

/** What a technical-writer sub-agent does with the texts of a plan. */
export const scrubDocs = workflow(
  'scrub-docs',
  [
    step({
      id: 'read',
      title: 'Read the plan',
      actions: [
        'Read the plan with all its diffs: {{plan}}',
        'If your prompt names a QR_REPORT_PATH, read that report too. Then your work is its findings, and only these.',
        '',
        'Done when: you can say in one sentence per milestone what a later reader will find hard to understand about it.',
      ],
      next: 'collect',
    }),
    step({
      id: 'collect',
      title: 'Collect the knowledge',
      actions: [
        'List every piece of knowledge that the plan holds and the code alone would not show: decisions with their reasons, rejected approaches, assumptions, risks, sources of numbers, orders that must hold.',
        convention('documentation'),
        'Give each item its place by the table: a comment at certain lines, the head of a file, a README, an index, a decision record, or nowhere (and why).',
        '',
        'Done when: every entry of the decision log, every assumption and every item of Invisible knowledge is on the list with a place.',
      ],
      next: 'comment',
    }),
    step({
      id: 'comment',
      title: 'Write the comments',
      actions: [
        'Write the comments into the diffs, as added lines with the indentation of the code.',
        'Each says why in one or two sentences, above the lines that somebody would otherwise change.',
        'Delete comments that repeat the code. Keep intent markers as they are, or complete them by their rules:',
        convention('intent-markers'),
        forbidden(
          'Changing a line of code',
          'Stating a reason that stands neither in the plan nor in the code',
        ),
        'Done when: every item that belongs to a comment has one, and each comment gives a reason, a promise or a limit.',
      ],
      next: 'timeless',
    }),
    step({
      id: 'timeless',
      title: 'Make the texts timeless',
      actions: [
        'Go through every comment, document and message in the diffs with the four questions of this convention:',
        convention('temporal'),
        'Done when: the answer is "no" to all four for every sentence that the diffs add.',
      ],
      next: 'documents',
    }),
    step({
      id: 'documents',
      title: 'Write the documents',
      actions: [
        'Add diffs for documents to the milestone that makes them true: README, index, decision record, reference, changelog, as the list of knowledge says and as the project keeps them.',
        'Where an existing document becomes wrong by the plan, the diff that corrects it belongs to the same milestone.',
        '',
        'Done when: every item of the list is in a comment or a document, or is marked "nowhere" with a reason.',
      ],
      next: 'check',
    }),
    step({
      id: 'check',
      title: 'Check the texts',
      actions: [
        'Read all that you wrote once more, as somebody who has neither the plan nor this conversation. Correct what needs either.',
        'Check the diffs that you touched: the context lines still stand in their files, and only texts differ.',
        'If a review sent you here: note for each finding of its report where it is fixed.',
        'Your last message says: how many comments and documents you changed, the items marked "nowhere", each finding with its place if there was a report, and what you could not settle and why.',
        '',
        'Done when: no sentence needs the plan to be understood, and the list has no item without a place.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Puts the knowledge of a plan into comments and documents.',
    params: {
      plan: param.text({ required: true, description: 'The path of the plan.' }),
      context: param.text({ description: 'The path of the findings about the code.' }),
    },
  },
)
