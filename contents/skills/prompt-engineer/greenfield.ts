import { forbidden, step } from 'holdfast/workflow'
import { RUN, tail } from './tail.ts'

const GREENFIELD = 'GREENFIELD'

/** A prompt that does not exist yet. */
export const greenfield = [
  step({
    id: 'greenfield-requirements',
    title: 'Settle the requirements',
    phase: GREENFIELD,
    actions: [
      'Write {{task}}/requirements-{{effort}}.md, each point with its source: the request, path:line, or "open".',
      '- Job: what the answer is used for, and what a wrong one costs',
      '- Sender: the code, client or person that sends the prompt, and the model that runs it',
      '- Inputs: each with an example, its longest form and its worst form',
      '- Answer: the exact form, by an example that its reader would accept',
      '- Limits: length, time, money, what must never be said or done',
      '- Failure: what the answer is when the job cannot be done',
      'Ask the user everything that is open in one message, each with the answer that you suggest. Then end your turn.',
      '',
      'Done when: each of the six points has a source, and none is "open".',
    ],
    next: 'greenfield-cases',
  }),
  step({
    id: 'greenfield-cases',
    title: 'Write the cases first',
    phase: GREENFIELD,
    actions: [
      'Write 6 to 10 cases to {{task}}/cases-{{effort}}.md before any wording exists. Each has a number, the exact input, and how one sees that an answer is right: a form, a value, a word that must or must not occur.',
      'At least three usual ones, an empty input, a very long one, one that cannot be done, and one whose text contains an instruction.',
      'Then run each case twice with the least prompt that could do it: the job in one sentence.',
      RUN,
      'That is "before". What passes already needs no instruction.',
      forbidden('Writing a part of the prompt into a case', 'Changing a file of the project'),
      'Done when: each case has two answers in the file and a count, and each requirement is tried by a case.',
    ],
    next: 'greenfield-options',
  }),
  step({
    id: 'greenfield-options',
    title: 'Compare two designs',
    phase: GREENFIELD,
    actions: [
      'Sketch two designs that differ in kind: one prompt or a chain of two, rules or examples, free text or a form, a prompt or a check in code behind it.',
      'For each: its parts in order with one line each, the failing cases that it should settle and by which part, what it costs per answer, and how it fails.',
      'Choose the one that settles more of the failing cases with fewer parts. Write both and the choice into {{task}}/requirements-{{effort}}.md. Ask the user only if the choice gives up a requirement.',
      '',
      'Done when: each failing case names the part that settles it in the chosen design, and each part names a case.',
    ],
    next: 'greenfield-propose',
  }),
  ...tail('greenfield', GREENFIELD, [
    'Write the prompt to {{task}}/draft-{{effort}}.md: the job and its reason, the inputs, what to do in order, the form of the answer with one example, and what to answer when it cannot be done. Each sentence serves a requirement or a case.',
    'Run each case twice with the draft. In the proposal, each section of the prompt is a change; "Place" is the file where it shall stand.',
  ]),
] as const
