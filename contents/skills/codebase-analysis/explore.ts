import { forbidden, param, resource, step, workflow } from 'holdfast/workflow'

/** What an explorer finds out about one area. */
export const exploreArea = workflow(
  'explore-area',
  [
    step({
      id: 'walk',
      title: 'Walk through the area',
      actions: [
        'The question: {{question}}',
        'Your area is line {{child}} of {{areas}}; others explore the other lines at the same time.',
        'Find the entry points of the area: commands, routes, exports, jobs, tests. Follow one usual case from its entry to its effect, then one failure. Note each station as path:line with what is decided there.',
        'Then list what the area depends on and who depends on it, from imports and calls, not from names of folders.',
        forbidden('Changing a file of the project', 'Noting what you did not open'),
        'Done when: both walks reach an effect (a write, an answer, a message) without a gap, or you note where the trail ends.',
      ],
      next: 'report',
    }),
    step({
      id: 'report',
      title: 'Write the findings',
      actions: [
        'Write the new file {{task}}/area-{{of}}-{{effort}}.md, at most 120 lines, in this form:',
        resource('area-format', 'The form of the findings'),
        'The command that ends this step takes its path (--set findings). Your last message is that path and the three facts that answer most of the question.',
        '',
        'Done when: the file has every section of the form, and each statement has a path:line.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Explores one area of a codebase.',
    format: 'text',
    params: {
      question: param.text({ required: true, description: 'What the analysis must answer.' }),
      areas: param.text({ required: true, description: 'The path of the areas, one line each.' }),
      of: param.text({ required: true, description: 'The effort that the findings are for.' }),
      child: param.number({ required: true, min: 1, description: 'The line of this explorer.' }),
    },
    state: { findings: param.text({ required: true, description: 'The path of the findings.' }) },
  },
)
