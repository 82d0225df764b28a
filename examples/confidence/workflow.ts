import { CONFIDENCE, param, step, workflow } from 'holdfast/workflow'

/** A loop that goes on until a value of the state says that it is enough, or the limit is reached. */
export default workflow(
  'confidence',
  [
    step({
      id: 'look',
      title: 'Look for the culprit',
      actions: [
        'What fails: {{symptom}}',
        'Check one suspect in this round, the one that is ruled out most cheaply. Note what you did and what you saw.',
        'high means: you know one change that explains it, and you saw it fail with the change and pass without it.',
      ],
      limit: 5,
      onLimit: 'report',
      decides: [{ when: { confidence: ['high', 'certain'] }, outcome: 'ok' }, { outcome: 'iterate' }],
      next: { ok: 'report', iterate: 'look' },
    }),
    step({
      id: 'report',
      title: 'Report',
      actions: ['Tell the user the culprit, the evidence, and your confidence: {{confidence}}.'],
      next: null,
    }),
  ],
  {
    format: 'text',
    params: { symptom: param.text({ required: true }) },
    state: { confidence: param.choice(CONFIDENCE, { default: 'exploring' }) },
  },
)
