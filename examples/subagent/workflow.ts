import { dispatch, param, step, workflow } from 'holdfast/workflow'

const params = { change: param.text({ required: true }) }
const state = { files: param.number({ min: 0, max: 10_000 }) }

/** What the sub-agent follows. It has an effort of its own; only what `returns` names comes back. */
const measure = workflow(
  'measure',
  [
    step({ id: 'find', title: 'Find', actions: ['List the files that {{change}} touches.'], next: 'count' }),
    step({ id: 'count', title: 'Count', actions: ['Count them, tests included.'], next: null }),
  ],
  { params, state: { files: { ...state.files, required: true } } },
)

export default workflow(
  'subagent',
  [
    step({
      id: 'measure',
      title: 'Measure',
      actions: ['A sub-agent measures the change. Do not look at the code yourself.'],
      dispatch: dispatch('explore', {
        workflow: 'measure',
        vars: { change: '{{change}}' },
        returns: ['files'],
      }),
      limit: 3,
      next: { ok: 'answer', fail: 'measure' },
    }),
    step({ id: 'answer', title: 'Answer', actions: ['Tell the user: {{files}} files.'], next: null }),
  ],
  { params, state, workflows: { measure } },
)
