import { forbidden, param, resource, step, workflow } from 'holdfast/workflow'

/** What each of the explore sub-agents does: it compares what the sources of one dimension say. */
export const explore = workflow(
  'explore',
  [
    step({
      id: 'broad-sweep',
      title: 'Broad sweep',
      actions: [
        'Your dimension is section {{id}} of {{dimensions}}. Read that section, and {{sources}}. The scope of the search: {{scope}}',
        '',
        'Open each source of the section. Write down what it claims: values, limits, defaults, names, orders, promises, conditions, exceptions. Quote each claim with path:line.',
        'Put claims about the same thing side by side, those of different sources in different columns.',
        'Where two claims cannot both hold for the same reader, version and condition, mark the line. Do not judge yet which one is right.',
        forbidden('Changing a file of the project', 'Noting a claim from memory or from the name of a file'),
        'Done when: each source of the section has at least one claim with path:line, or the words "no claim".',
      ],
      next: 'coverage-check',
    }),
    step({
      id: 'coverage-check',
      title: 'Coverage check',
      actions: [
        'Find out what the sweep has missed. List gaps as G1, G2 ...:',
        '- a source of the section that you opened only in part, or not at all',
        '- a thing about which only one side has a claim',
        '- a word of one side that the other side may call something else',
        '- a place that states the same value again: a test, an example, a message, a default in a configuration',
        '',
        'Done when: you have the numbers (sources named and opened, claims of each side), and a list of gaps or the word "none".',
      ],
      next: 'gap-fill',
    }),
    step({
      id: 'gap-fill',
      title: 'Gap-fill',
      actions: [
        'Take the gaps in order, at most ten. Open the source, or search the whole scope for the word, its synonyms and its value.',
        'Add what you find to the claims, and mark new lines that cannot both hold.',
        'Then take each marked line and read ten lines around both places: a condition, a version or another meaning of a word may remove the contradiction.',
        '',
        'Done when: each gap has a claim or the words that you searched in vain, and each marked line was read in its surroundings.',
      ],
      next: 'format-findings',
    }),
    step({
      id: 'format-findings',
      title: 'Format findings',
      actions: [
        'Write the marked lines to a new file {{task}}/findings-{{run}}-{{id}}.md, at most 15, in this form:',
        resource('findings-format', 'The form of the findings'),
        'If there is none, the file has its first two lines and the last two sections.',
        'The command that ends this step takes the path (--set findings). Your last message is that path and the number of findings.',
        '',
        'Done when: the file exists, and each finding has two quotations that you have just compared with their places.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Compares what the sources of one dimension say.',
    format: 'text',
    params: {
      id: param.text({ required: true, description: 'The number of the dimension.' }),
      dimensions: param.text({ required: true, description: 'The path of the dimensions.' }),
      sources: param.text({ required: true, description: 'The path of the list of sources.' }),
      scope: param.text({ required: true, description: 'What is compared.' }),
      run: param.text({ required: true, description: 'The number of the effort that waits for it.' }),
    },
    state: { findings: param.text({ required: true, description: 'The path of the findings.' }) },
  },
)
