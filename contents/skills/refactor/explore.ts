import { forbidden, param, resource, step, workflow } from 'holdfast/workflow'

/** What an explorer does with its share of the categories. */
export const lookForSmells = workflow(
  'look-for-smells',
  [
    step({
      id: 'look',
      title: 'Look for smells',
      actions: [
        'The code to look at: {{scope}}',
        'You are explorer {{child}} of {{explorers}}. Your categories are {{child}} and every {{explorers}}th number after it, up to 12:',
        resource('smells', 'The categories'),
        'Search for the signs of each of your categories, then open every place before you note it. `git log --format= --name-only` shows what changes often; begin there.',
        'Note for each candidate: path:line, a quotation of at most three lines, the evidence that the table asks for, and a change that it makes hard.',
        forbidden('Changing a file of the project', 'Looking for the categories of others'),
        'Done when: each of your categories has its candidates, or the words "nothing found" and where you looked.',
      ],
      next: 'doubt',
    }),
    step({
      id: 'doubt',
      title: 'Doubt and write',
      actions: [
        'Try to refute each candidate: a comment, a test or a document that says why it is so; a caller that needs it so. Drop what you refuted, and what has no evidence.',
        'Write at most five findings for each category to the new file {{task}}/smells-{{of}}-{{child}}.md, the most costly first: id (the number of the category, then a letter), title, places, quotation, evidence, the change that it makes hard, and how sure you are (high, medium, low).',
        'The command that ends this step takes its path (--set found). Your last message is that path and the number of findings in each category.',
        '',
        'Done when: the file exists, and each finding names its evidence and what you did to refute it.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Looks for smells of some categories.',
    format: 'text',
    params: {
      scope: param.text({ required: true, description: 'The code to look at.' }),
      of: param.text({ required: true, description: 'The effort that the findings are for.' }),
      explorers: param.number({
        required: true,
        min: 1,
        max: 6,
        description: 'How many explorers there are.',
      }),
      child: param.number({ required: true, min: 1, description: 'The number of this explorer.' }),
    },
    state: { found: param.text({ required: true, description: 'The path of the findings.' }) },
  },
)
