import { forbidden, step } from 'holdfast/workflow'

const RESOLUTION = 'RESOLUTION'

/** The second part: the user decides each issue, a few at a time. */
export const resolution = [
  step({
    id: 'prepare-batches',
    title: 'Prepare batches',
    phase: RESOLUTION,
    actions: [
      'Give each issue of {{task}}/incoherence-{{effort}}.md its options:',
      '- one side is right: what changes at the other, in how many places',
      '- the other side is right: the same',
      '- both change, if neither says what holds: the sentence or value that both would have',
      '- leave it: what it goes on to cost',
      'Suggest one of them, by what holds today, by which side is a norm, and by what the change costs.',
      'Then give each issue its batch: at most 4 issues that one thinks about together, at most 8 batches. An issue whose decision settles others comes first.',
      '',
      'Done when: each issue has at least three options, one of which is suggested with a reason, and a batch.',
    ],
    next: 'present-batch',
  }),
  step({
    id: 'present-batch',
    title: 'Present batch',
    phase: RESOLUTION,
    actions: [
      'Take the first batch of {{task}}/incoherence-{{effort}}.md with an issue without a decision, and show it to the user. For each issue: both quotations with their places, what holds today, the options by number, and your suggestion with its reason.',
      'Ask for a number or an answer in other words for each issue, with AskUserQuestion if your client has it. Then end your turn. Do not end this step before the user has answered.',
      'Write each answer into the report as the decision, in the words of the user. "Leave it" and "not now" are decisions. If the user decides for all issues at once, write that at each of them.',
      'The command that ends this step takes the answers, word for word (--proof).',
      forbidden(
        'Deciding for the user, also where only one option seems possible',
        'Changing a file of the project',
      ),
      'Done when: each issue of the batch has a decision in the words of the user.',
    ],
    proof: ['answers'],
    limit: 8,
    onLimit: 'plan-dispatch',
    next: 'loop-controller',
  }),
  step({
    id: 'loop-controller',
    title: 'Loop controller',
    phase: RESOLUTION,
    actions: [
      'Read the decisions in {{task}}/incoherence-{{effort}}.md from the file. Count the issues without one.',
      'If a decision settles issues of later batches, write it there too, with the id of the issue that it comes from.',
      'The command that ends this step says whether an issue without a decision is left (--set batches): next or none-left. After 8 batches the work goes on; what has no decision then stays open.',
      '',
      'Done when: you have the two numbers, decided and undecided, counted in the file.',
    ],
    decides: [
      { when: { batches: 'none-left' }, outcome: 'ok' },
      { when: { batches: 'next' }, outcome: 'next' },
    ],
    next: { ok: 'plan-dispatch', next: 'present-batch' },
  }),
] as const
