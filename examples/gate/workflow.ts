import { convention, dispatch, gate, param, qrOutput, step, workflow } from 'holdfast/workflow'

const must = { required: true }
const params = { topic: param.text(must) }
const state = { result: param.choice(['pass', 'fail'], must), report: param.text(must) }

/** What the reviewer does, in a context of its own. */
const review = workflow(
  'review',
  [
    step({
      id: 'judge',
      title: 'Judge the document',
      actions: [
        'Follow doc.md as somebody new. A place where you must guess is a finding; write them into a new file.',
        convention('severity'),
        qrOutput(),
      ],
      next: null,
    }),
  ],
  { params, state },
)

/** Work, a fresh review of it, and a gate that only the review opens. */
export default workflow(
  'gate',
  [
    step({ id: 'write', title: 'Write', actions: ['Write doc.md about {{topic}}, or fix it.'], next: 'qr' }),
    ...gate({
      id: 'qr',
      name: 'QR-Document',
      work: 'write',
      pass: null,
      review: dispatch('quality-reviewer', { workflow: 'review', vars: { topic: '{{topic}}' } }),
    }),
  ],
  { params, workflows: { review } },
)
