import { param, step, workflow } from 'holdfast/workflow'

/** One workflow for two modes: a param decides whether the work branches to the end, or goes the whole way. */
export default workflow(
  'modes',
  [
    step({
      id: 'find',
      title: 'Find the place',
      actions: [
        'The question: {{question}}',
        'Find the code that answers it. Done when: you have path and line.',
      ],
      decides: [{ when: { mode: 'quick' }, outcome: 'skip' }, { outcome: 'ok' }],
      next: { ok: 'trace', skip: 'answer' },
    }),
    step({ id: 'trace', title: 'Trace it', actions: ['Follow one case to its effect.'], next: 'doubt' }),
    step({ id: 'doubt', title: 'Doubt it', actions: ['Look for a case that refutes it.'], next: 'answer' }),
    step({ id: 'answer', title: 'Answer', actions: ['Answer in ten lines, with places.'], next: null }),
  ],
  {
    format: 'text',
    params: {
      question: param.text({ required: true }),
      mode: param.choice(['full', 'quick'], { default: 'full' }),
    },
  },
)
