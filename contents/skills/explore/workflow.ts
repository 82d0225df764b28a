import { forbidden, param, step, workflow } from 'holdfast/workflow'

export default workflow(
  'explore',
  [
    step({
      id: 'ask',
      title: 'Ask what must be known',
      actions: [
        'The request: {{request}}',
        '',
        'Write {{task}}/research.md. If the file is there, keep its answers and go on with it. It begins with:',
        '- `# Research: ` and the request in one sentence',
        '- `## Done when`: two to five observations by which the user will see that the request is met, each a command or an action with its result',
        '- `## Questions`: Q1 to at most Q8, what must be known before the change can be planned. Ask at least: where is it done today, what calls it, which tests cover it, which conventions apply here, what could break.',
        'If the request can mean two different things, ask the user now which one, and end your turn. Do not guess.',
        '',
        'Done when: the file has all three parts, and each question names something that a file or a command of this project can answer.',
      ],
      next: 'look',
    }),
    step({
      id: 'look',
      title: 'Answer the questions',
      actions: [
        'Take the open questions of {{task}}/research.md. Search for each, open what you find, and follow it from the entry point to its callers, its data and its tests. Look at `git log` of the files that will change.',
        'Below each question write: the answer in one to three sentences, and its evidence as path:line or as a command with the line of its output that decides. If you looked and found nothing, write where you looked.',
        'Add a question if an answer raises one that the change depends on.',
        forbidden(
          'Changing any file but research.md',
          'An answer from the name of a file that you did not open',
          'Proposing the change already',
        ),
        'The command that ends this step says whether a question is open (--set questions). While one is, this step comes again, four times at most.',
        '',
        'Done when: each question that you took has an answer with evidence, or the words "not found" with where you looked.',
      ],
      limit: 4,
      onLimit: 'weigh',
      decides: [
        { when: { questions: 'answered' }, outcome: 'ok' },
        { when: { questions: 'open' }, outcome: 'again' },
      ],
      next: { ok: 'weigh', again: 'look' },
    }),
    step({
      id: 'weigh',
      title: 'Weigh the ways',
      actions: [
        'Add to {{task}}/research.md:',
        '- `## Ways`: two or three ways to meet the request that differ in where the change is made. For each: the files that change, what it reuses with path:line, what it costs later.',
        '- `## Choice`: one of them, with the finding that decides for it.',
        '- `## Risks`: what could break, each with the test or command that would show it.',
        '- `## Left open`: questions without an answer, and decisions that only the user can take. Write "nothing" if there are none.',
        '',
        'Done when: the file has these four parts, and each path in them is one that you opened.',
      ],
      next: 'tell',
    }),
    step({
      id: 'tell',
      title: 'Tell the user',
      // What was found is the base of all changes, so none comes before it.
      writes: ['**', '!**/research.md'],
      actions: [
        'Tell the user in at most eight lines: the choice and what decides for it, the files that will change, the greatest risk, what is left open, and the path {{task}}/research.md. Change no file.',
        'Unless Holdfast names what comes next, name it: /prepare turns the findings into tasks.',
        '',
        'Done when: the user has these points.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Researches the code for a request, and leaves findings with path and line.',
    activate: 'first',
    format: 'text',
    params: { request: param.text({ required: true, description: 'What the user wants, in their words.' }) },
    state: {
      questions: param.choice(['answered', 'open'], { description: 'Whether a question is open.' }),
    },
  },
)
