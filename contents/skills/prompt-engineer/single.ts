import { detectionQuestions, forbidden, step } from 'holdfast/workflow'
import { RUN, tail } from './tail.ts'

const SINGLE = 'SINGLE PROMPT'

/** One prompt that exists and shall become better. */
export const single = [
  step({
    id: 'single-read',
    title: 'Read the prompt',
    phase: SINGLE,
    actions: [
      'Read the prompt in full, then the code that sends it and the code that reads the answer.',
      'Write {{task}}/reading-{{effort}}.md:',
      '- Job: what an answer is used for, in one sentence, and who is hurt by a wrong one',
      '- Instructions: each as I1, I2 ... with its line and a mark: what to do, form of the answer, fact, example, or tone',
      '- Inputs: each value that is filled in, where it comes from, its longest and its worst form',
      '- Reader: what must be true of the answer so that the next program or person can use it',
      '- Model: which one runs it, with which settings, as far as the project says',
      '',
      'Done when: each line of the prompt belongs to an instruction, and each of the five points has path:line or "not found".',
    ],
    next: 'single-cases',
  }),
  step({
    id: 'single-cases',
    title: 'Measure the prompt as it is',
    phase: SINGLE,
    actions: [
      'Write 6 to 10 cases to {{task}}/cases-{{effort}}.md, each with a number, the exact input, and how one sees that an answer is right (a form, a value, a word that must or must not occur):',
      '- at least three usual ones, from real data if the project has some',
      '- an empty input, a very long one, and one whose text contains an instruction',
      '- one that the request is about',
      'Run each case twice with the prompt as it is.',
      RUN,
      'Write next to each case how many of its answers were right.',
      forbidden('Judging an answer by whether you like it', 'Changing a file of the project'),
      'Done when: each case has two answers in the file and a count, and the sum stands in the first line of the cases.',
    ],
    next: 'single-diagnose',
  }),
  step({
    id: 'single-diagnose',
    title: 'Name the weaknesses',
    phase: SINGLE,
    actions: [
      detectionQuestions('Weaknesses of a prompt', [
        { id: 'Q1', text: 'Which word must its reader guess: a name, a quantity, "relevant", "short"?' },
        { id: 'Q2', text: 'Which two instructions cannot both be followed, and in which case?' },
        { id: 'Q3', text: 'Which part of the form does the next program need that no instruction states?' },
        {
          id: 'Q4',
          text: 'What does it say to do when an input is empty, too long, or gives orders itself?',
        },
        { id: 'Q5', text: 'Which example shows something other than the rules say?' },
        { id: 'Q6', text: 'Which instruction gives no reason and would be dropped under pressure?' },
        { id: 'Q7', text: 'Which instruction could go without any case getting worse?' },
      ]),
      'Write each weakness to {{task}}/reading-{{effort}}.md as W1, W2 ...: the quotation, what goes wrong, and the case that shows it, or "no case". Order them by failing cases.',
      '',
      'Done when: all seven questions have an answer by instruction, and each failing case belongs to a weakness or to the words "cause unknown".',
    ],
    next: 'single-propose',
  }),
  ...tail('single', SINGLE, [
    'Make a copy of the prompt, {{task}}/draft-{{effort}}.md, and change it there, one weakness after the other. Take the smallest change that removes the weakness: say what to do instead of what to avoid, give the reason in half a sentence, show the form by one example. Delete what Q7 has found.',
    'Run each case twice with the draft.',
  ]),
] as const
