import { forbidden, param, resource, step, workflow } from 'holdfast/workflow'

/** What an explore sub-agent does before anything is planned. */
export const context = workflow(
  'context',
  [
    step({
      id: 'scope',
      title: 'Scope',
      actions: [
        'Somebody plans this change: {{request}}',
        '',
        'Write the questions that the code must answer before one can plan it, at most ten:',
        '- Where does the behavior live now, and where does its input come from?',
        '- What depends on it?',
        '- Which similar thing exists already, and how is it built and tested?',
        '- Which rules of the project apply (contributing guide, linter, directives)?',
        '',
        'Done when: each question can be answered with a path and a line.',
      ],
      next: 'survey',
    }),
    step({
      id: 'survey',
      title: 'Survey',
      actions: [
        'Find the places that matter. Start from what can be observed: a command, a route, a message, a table, a test.',
        'Search for names of the domain, then for their callers. Open every file before you list it.',
        'Read the guides of the project: README, CONTRIBUTING, AGENTS.md or CLAUDE.md of the folders that you enter.',
        '',
        'Done when: you have a list of files, each with one line on what it has to do with the request, and you opened them all.',
      ],
      next: 'trace',
    }),
    step({
      id: 'trace',
      title: 'Trace',
      actions: [
        'Follow one real case through the code from its entry to its effect. Note each station as path:line, with what is decided there.',
        'Then follow one failure: wrong input, a missing file, two callers at once. Note where it is noticed, and what the user sees.',
        'If the request adds something new, trace the most similar thing that exists.',
        '',
        'Done when: both traces reach an effect (a write, an answer, a message), without a gap between two stations.',
      ],
      next: 'constraints',
    }),
    step({
      id: 'constraints',
      title: 'Constraints',
      actions: [
        'Collect what a change here must respect, each with its place:',
        '- invariants that code, comments or tests state',
        '- public interfaces, stored data and formats that others depend on',
        '- how errors, names, files and tests are done in the neighboring code',
        '- the commands that build, check and test, as they stand in the configuration',
        'Also note what you looked for and did not find.',
        '',
        'Done when: each of the four points has an entry with a place, or the words "not found" and where you looked.',
      ],
      next: 'findings',
    }),
    step({
      id: 'findings',
      title: 'Findings',
      actions: [
        'Write the findings to a new file {{task}}/context-{{effort}}.md, in this form:',
        resource('explore-output-format', 'The form of the findings'),
        forbidden(
          'Proposing a solution',
          'Writing what you did not open',
          'Quoting more than ten lines of code in one place',
        ),
        'The command that ends this step takes the path of the file (--set context). Your last message is that path and the three findings that matter most.',
        '',
        'Done when: every question of the first step has an answer or the words "not found", and every statement has a place.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Finds out what a plan must know about the code.',
    params: { request: param.text({ required: true, description: 'What somebody plans.' }) },
    state: { context: param.text({ required: true, description: 'The path of the findings.' }) },
  },
)
