import { forbidden, step } from 'holdfast/workflow'
import { RUN, tail } from './tail.ts'

const PROBLEM = 'PROBLEM'

/** A prompt that does something wrong. */
export const problem = [
  step({
    id: 'problem-reproduce',
    title: 'Reproduce the problem',
    phase: PROBLEM,
    actions: [
      'Write {{task}}/cases-{{effort}}.md: case 1 is the input that goes wrong, with the wrong answer (quoted) and how one sees a right one. If you have neither, ask the user for both, and end your turn.',
      'Cases 2 and 3 are near it and go wrong too, if you find some. Cases 4 to 6 are usual ones that must stay right.',
      'Run case 1 five times with the prompt as it is, and each other case twice.',
      RUN,
      'Write next to each case how many of its answers were right.',
      forbidden('Naming a cause', 'Changing a file of the project'),
      'Done when: each case has its answers and a count. If case 1 is right five times, the user has said under which conditions it was wrong.',
    ],
    next: 'problem-causes',
  }),
  step({
    id: 'problem-causes',
    title: 'List the possible causes',
    phase: PROBLEM,
    actions: [
      'Read the prompt, the code that fills it in, and what the model really gets: all messages, in their order and full length.',
      'Write three to five causes to {{task}}/causes-{{effort}}.md, C1 to C5. They differ in kind: two instructions that collide, a word that can be read in two ways, something missing, an example, the order or the length, a value that is filled in, the code that reads the answer, the model or its settings.',
      'Each has its place (quoted) and one change to a copy that would show it: "without line 14, case 1 is right".',
      '',
      'Done when: each cause has a place and a change, and at least one lies outside of the wording.',
    ],
    next: 'problem-isolate',
  }),
  step({
    id: 'problem-isolate',
    title: 'Isolate the cause',
    phase: PROBLEM,
    actions: [
      'Take the first cause of {{task}}/causes-{{effort}}.md that is still open. Make its one change in a copy, {{task}}/trial-{{effort}}.md, and nothing else. Run case 1 five times with the copy.',
      RUN,
      'Mark the cause: SHOWN (right at least four times, and wrong again at least twice without the change), REFUTED, or UNCLEAR with both counts.',
      'The command that ends this step says whether a cause is SHOWN (--set cause). While it is open, this step comes again, five times at most.',
      forbidden('Two changes in one trial', 'Changing a file of the project'),
      'Done when: one more cause has a mark with its two counts.',
    ],
    limit: 5,
    onLimit: 'problem-propose',
    decides: [
      { when: { cause: 'shown' }, outcome: 'ok' },
      { when: { cause: 'open' }, outcome: 'iterate' },
    ],
    next: { ok: 'problem-propose', iterate: 'problem-isolate' },
  }),
  ...tail('problem', PROBLEM, [
    'The cause: {{cause}}. If none is shown, propose the trial with the best counts, and say in the first line that the cause is open.',
    'Make the smallest change that removes the cause in a copy, {{task}}/draft-{{effort}}.md. A sentence that forbids the wrong answer removes no cause. Run case 1 five times with the draft, and each other case twice.',
  ]),
] as const
