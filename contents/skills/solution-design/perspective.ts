import { forbidden, param, step, workflow } from 'holdfast/workflow'

/** The ways to look at a problem. Each asks for another place where it could be solved, so that few proposals repeat. */
export const PERSPECTIVES = [
  {
    id: 'remove',
    title: 'Remove',
    task: 'What could be taken away, so that the cause has nothing to act on?',
  },
  { id: 'smallest', title: 'Smallest', task: 'What is the least change that breaks the chain of the cause?' },
  { id: 'shape', title: 'Shape', task: 'Which form of the data or state would make the problem impossible?' },
  { id: 'place', title: 'Place', task: 'Which other part, layer, team or tool should be in charge of this?' },
  {
    id: 'time',
    title: 'Time',
    task: 'What changes if it happens earlier, later, once, in batches or never?',
  },
  { id: 'borrow', title: 'Borrow', task: 'How have others solved this, and what exists that one could use?' },
  {
    id: 'people',
    title: 'People',
    task: 'Which habit, rule, expectation or text would solve it without code?',
  },
] as const

/** What each of the seven sub-agents does. */
export const perspective = workflow(
  'perspective',
  [
    step({
      id: 'see',
      title: 'See it from your perspective',
      actions: [
        'Your perspective is "{{title}}": {{task}}',
        'Read {{brief}}, and open the paths that it names. Do not open other files beside it.',
        'Write down the problem as your perspective sees it, in three sentences: what it asks, which step of the cause it looks at, and what it leaves aside.',
        'You cannot ask anybody. What is missing becomes an assumption.',
        '',
        'Done when: you have the three sentences, and the step of the cause is one that the brief names.',
      ],
      next: 'propose',
    }),
    step({
      id: 'propose',
      title: 'Propose',
      actions: [
        'Write two or three proposals from your perspective; one of them goes further than anybody would ask for.',
        'For each: the mechanism in two sentences, what must be true for it to work, what it costs, and its worst side effect.',
        'Then check for each what must be true, as far as a file, a command or a document shows it.',
        forbidden(
          'A proposal that would come from another perspective',
          'A proposal that meets an "Out" of the brief',
          'Changing a file',
        ),
        'Done when: each proposal has all four points, and each thing that must be true has a source or the word "open".',
      ],
      next: 'report',
    }),
    step({
      id: 'report',
      title: 'Write the report',
      actions: [
        'Write the file {{reports}}-{{id}}.md, at most 50 lines: your perspective in one line, then the proposals, best first, each with its four points and their sources; at the end what the perspective cannot solve, and your assumptions.',
        'The command that ends this step takes the path of the file (--set report). Your last message is that path and the mechanism of the first proposal, nothing else.',
        '',
        'Done when: the file exists, and each proposal in it has its four points.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Proposes solutions from one perspective.',
    format: 'text',
    params: {
      id: param.text({ required: true, description: 'The name of the perspective.' }),
      title: param.text({ required: true, description: 'Its title.' }),
      task: param.text({ required: true, description: 'What it asks.' }),
      brief: param.text({ required: true, description: 'The path of the problem.' }),
      reports: param.text({ required: true, description: 'The beginning of the path of each report.' }),
    },
    state: { report: param.text({ required: true, description: 'The path of the report.' }) },
  },
)
