import { factoredVerification, forbidden, param, step, workflow } from 'holdfast/workflow'
import { ofLine } from './about.ts'

/** Which of its milestones does the code meet, no matter who wrote it and what they said? */
export const reconcile = workflow(
  'reconcile',
  [
    step({
      id: 'expect',
      title: 'Expect',
      actions: [
        'Line {{child}} of {{wave}} names your milestones. Read them in the plan: {{plan}}',
        'Write for each acceptance criterion what you would see if it held, and the command or place that shows it. Read goal and criteria only; the diffs are one way to meet them.',
        '',
        'Done when: each criterion of your milestones has what shows it, and you have not opened the code yet.',
      ],
      next: 'observe',
    }),
    step({
      id: 'observe',
      title: 'Observe',
      actions: [
        factoredVerification(),
        'Run the command of each criterion, or open its place. Note what you saw: the decisive lines of the output, or path:line with a quotation.',
        'For each test that shows a criterion, name a wrong implementation that it would catch. A test that catches none shows nothing.',
        forbidden('Changing a file of the project', 'Counting what a report of a developer says'),
        'Done when: each criterion is marked HOLDS, FAILS or MISSING, with an output or a quotation of this step.',
      ],
      next: 'verdict',
    }),
    step({
      id: 'verdict',
      title: 'Give the verdict',
      actions: [
        'Give each milestone its verdict:',
        '- SATISFIED: each criterion HOLDS',
        '- PARTIALLY_SATISFIED: one HOLDS, and one FAILS or is MISSING',
        '- NOT_SATISFIED: none HOLDS',
        'Write a new file {{task}}/verdict-{{effort}}.md: each milestone with its verdict, each criterion with its mark and evidence, and for each that does not hold the smallest work that is missing.',
        'The command that ends this step takes the least of your verdicts (--set verdict) and the path (--set evidence). Your last message is one line for each milestone: its id and its verdict.',
        '',
        'Done when: each criterion is in the file, and each verdict follows from its marks.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Compares what is there with milestones of a plan.',
    format: 'text',
    params: ofLine,
    state: {
      verdict: param.choice(['SATISFIED', 'PARTIALLY_SATISFIED', 'NOT_SATISFIED'], {
        required: true,
        description: 'The least of the verdicts.',
      }),
      evidence: param.text({ required: true, description: 'The path of the evidence.' }),
    },
  },
)
