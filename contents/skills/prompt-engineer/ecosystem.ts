import { detectionQuestions, forbidden, step } from 'holdfast/workflow'
import { RUN, tail } from './tail.ts'

const ECOSYSTEM = 'ECOSYSTEM'

/** Several prompts that work together. */
export const ecosystem = [
  step({
    id: 'ecosystem-inventory',
    title: 'Take the inventory',
    phase: ECOSYSTEM,
    actions: [
      'Write {{task}}/map-{{effort}}.md with an entry for each prompt that takes part: path and lines, who sends it and when, its job in one sentence, its inputs, its answer and who reads it.',
      'Count texts that become part of several prompts (conventions, includes, tool descriptions) as entries of their own.',
      'Follow the code or the text that starts each of them; a prompt that nothing starts is listed as unused.',
      '',
      'Done when: you searched for each path that a prompt or a loader names, and each entry has all six points.',
    ],
    next: 'ecosystem-map',
  }),
  step({
    id: 'ecosystem-map',
    title: 'Map the handovers',
    phase: ECOSYSTEM,
    actions: [
      'Add the handovers to {{task}}/map-{{effort}}.md, H1, H2 ...: from, to, what the first is told to give (quoted), what the second is told to expect (quoted), and what happens if it is missing or has another form.',
      'Then list what several prompts share: each rule, word and format with the places that state it, and whether they state the same.',
      'Note who may stop the work, who asks the user, and who counts rounds. Two that do, or nobody, is a finding.',
      '',
      'Done when: each prompt has at least one handover in or out, and each handover has both quotations or the words "states nothing".',
    ],
    next: 'ecosystem-cases',
  }),
  step({
    id: 'ecosystem-cases',
    title: 'Measure the whole',
    phase: ECOSYSTEM,
    actions: [
      'Write 4 to 8 cases to {{task}}/cases-{{effort}}.md. Each is one pass through several prompts: the input of the first one, and for each handover how one sees that it is right. Among them: a usual pass, one in which a prompt finds nothing, one in which it fails, and what the request is about.',
      'Run each case twice with the prompts as they are. Give each prompt exactly what the one before it has answered.',
      RUN,
      'Note the handover at which a case first goes wrong.',
      forbidden('Repairing an answer before you hand it on', 'Changing a file of the project'),
      'Done when: each case has two passes in the file, a count, and the first wrong handover or "none".',
    ],
    next: 'ecosystem-diagnose',
  }),
  step({
    id: 'ecosystem-diagnose',
    title: 'Name the weaknesses',
    phase: ECOSYSTEM,
    actions: [
      detectionQuestions('Weaknesses between prompts', [
        { id: 'E1', text: 'Which handover gives something other than the next prompt expects?' },
        { id: 'E2', text: 'Which rule is stated twice, and where do the two differ?' },
        { id: 'E3', text: 'Which decision do two prompts take, and which does none?' },
        {
          id: 'E4',
          text: 'What does each prompt know that it does not need, and need that nobody gives it?',
        },
        { id: 'E5', text: 'Where does a failure in the middle of the chain go?' },
        { id: 'E6', text: 'Which loop has no end that a reader of its prompt could see?' },
      ]),
      'Write each weakness to {{task}}/map-{{effort}}.md as W1, W2 ...: the quotations of both places, the case that shows it or "no case", and the prompt in which it is cheapest to remove. Order them by failing cases.',
      '',
      'Done when: all six questions have an answer by handover, and each first wrong handover belongs to a weakness.',
    ],
    next: 'ecosystem-propose',
  }),
  ...tail('ecosystem', ECOSYSTEM, [
    'Copy the prompts that change into {{task}}/draft-{{effort}}/ with their names. Remove one weakness after the other at the place that you chose. A rule that several prompts share gets one home; the others name it. A change at one end of a handover comes with the change at its other end.',
    'Run each case twice with the drafts, also those in which no changed prompt takes part.',
  ]),
] as const
